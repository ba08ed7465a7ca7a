// Serves a store with the whole model of the fixture until it is killed: it rebuilds what is pending.
import { openDemo } from '../../support/fixture.ts';

const [url = ''] = process.argv.slice(2);
await openDemo(url);
console.log('ready');
setInterval(() => undefined, 1_000);
