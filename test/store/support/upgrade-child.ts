// Opens a store as a server does, and prints the notices of its upgrade; it is killed meanwhile.
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../../../src/store/open.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import { shippedModel } from './shipped.ts';
import { say } from '../../support/say.ts';

const [url = ''] = process.argv.slice(2);
const model = await shippedModel();
const extract = createExtract(model);
const notice = (text: string): void => say(text);
say('ready');
await openStore(url, { model, extract, now: Date.now, mode: 'serve', deadline: 20_000, notice });
await setTimeout(60_000);
