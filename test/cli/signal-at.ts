// For `node --import`: a process that is sent the signal SIGNAL_AT names, such as `SIGKILL 1000`, as soon as it shows
// that so many records are copied. Each step of its progress is shown, however fast it is.
const [signal = '', after = ''] = (process.env['SIGNAL_AT'] ?? '').split(' ');

let shown = 0;
const now = Date.now;
Date.now = () => now() + 1_000 * shown;

const { stderr } = process;
stderr.isTTY = true;
const write = stderr.write.bind(stderr);
let isSent = false;
stderr.write = (text: string | Uint8Array): boolean => {
  shown += 1;
  const copied = /([\d,]+) of [\d,]+ records copied/.exec(String(text))?.[1]?.replaceAll(',', '');
  if (!isSent && Number(copied) >= Number(after)) {
    isSent = true;
    process.kill(process.pid, signal);
  }
  return write(String(text));
};
