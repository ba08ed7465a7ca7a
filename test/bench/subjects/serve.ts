import type { ServerQuestion, Usage } from '../protocol.ts';

/**
 * Says on which port the process listens, or on which ones, and answers questions about it until the parent is gone or
 * says stop.
 */
export function answerQuestions(
  port: number | Readonly<Record<string, number>>,
  close: () => Promise<void>,
  record: (paths: readonly string[], file: string) => Promise<void> = async () => {},
): void {
  let closing: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await (closing ??= close());
    process.exit();
  };
  process.on('message', (question: ServerQuestion) => {
    if (question.kind === 'usage') process.send?.(usage());
    else if (question.kind === 'record')
      void record(question.paths, question.file).then(() => process.send?.('recorded'));
    else void stop();
  });
  process.on('disconnect', () => void stop());
  process.send?.(port);
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return {
    cpu: user + system,
    resident: process.memoryUsage.rss(),
    mostResident: process.resourceUsage().maxRSS * 1024,
  };
}
