// For the health check of a container: exit code 0 if the service in it answers `/healthz`. It is found by the settings
// of `serve`: the file that CRS_CONFIG names, the environment, and flags.
import { get } from 'node:http';
import { get as getTls } from 'node:https';
import { readConfig } from '../config/read.ts';

const fail = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
};

try {
  const { port, host, tlsCert } = readConfig(process.argv.slice(2), process.env);
  if (port === 0) throw new Error('The service takes a free port (`port` is 0), which is not known here.');
  /** The address of this machine that an address to listen on includes. */
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const at = { host: own, port, path: '/healthz', timeout: 4_000 };
  const answered = (status: number | undefined): never =>
    status === 200 ? process.exit(0) : fail(`The service answers ${status}.`);
  // Its own certificate names the public host, not this address.
  const request =
    tlsCert === undefined
      ? get(at, ({ statusCode }) => answered(statusCode))
      : getTls({ ...at, rejectUnauthorized: false }, ({ statusCode }) => answered(statusCode));
  request.on('timeout', () => fail('The service does not answer.')).on('error', fail);
} catch (error) {
  fail(error);
}
