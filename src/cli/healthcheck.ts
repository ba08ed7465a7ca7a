// For the health check of a container: exit code 0 if the service in it answers `/healthz`.
import { get } from 'node:http';
import { get as getTls } from 'node:https';

const { CRS_PORT: port = '8080', CRS_HOST: host = '127.0.0.1', CRS_TLS_CERT: cert } = process.env;
/** The address of this machine that an address to listen on includes. */
const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
const at = { host: own, port: Number(port), path: '/healthz', timeout: 4_000 };
const done = (status: number | undefined): never => process.exit(status === 200 ? 0 : 1);
// Its own certificate names the public host, not this address.
const request =
  cert === undefined
    ? get(at, ({ statusCode }) => done(statusCode))
    : getTls({ ...at, rejectUnauthorized: false }, ({ statusCode }) => done(statusCode));
request.on('timeout', () => done(undefined)).on('error', () => done(undefined));
