// The bytes of an attachment are found wherever JSON may hide them, and nothing of them comes into the record.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inXml } from '../support/in-xml.ts';
import { issuesOf, keptBytes, media, png, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')]);
});
afterAll(() => server.close());

const bytes = Buffer.concat([png(8), Buffer.from(Array.from({ length: 256 }, (_, at) => at))]);
const data = bytes.toString('base64');
const text = JSON.stringify(media({}, { data }));
const escaped = Array.from(data, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const decoy = JSON.stringify({ content: { data: 'QUJD' } });

describe.skipIf(inXml)('data is cut out', () => {
  it.each([
    ['under a name with escapes', text.replace('"data"', String.raw`"d\u0061t\u0061"`)],
    ['below a name with escapes', text.replace('"content"', String.raw`"\u0063ontent"`)],
    ['with slashes escaped', text.replaceAll('/', String.raw`\/`)],
    ['with plus signs escaped', text.replace(data, data.replaceAll('+', String.raw`\u002B`))],
    ['with every character escaped', text.replace(data, escaped)],
    ['with line breaks', text.replace(data, data.replaceAll(/.{60}/g, String.raw`$&\r\n`))],
    ['with white space all around', JSON.stringify(JSON.parse(text), null, '\t ')],
    ['behind a text that looks like it', text.replace('{', `{"deviceName":${JSON.stringify(decoy)},`)],
    ['behind an extension with such names', text.replace('{', `{"extension":[{"url":"x:data","valueString":"data"}],`)],
    [
      'before the content type',
      text.replace('"contentType":"image/png",', '').replace('"title"', '"contentType":"image/png","title"'),
    ],
    [
      'before everything',
      `{"content":${JSON.stringify(media({}, { data }).content)},` +
        JSON.stringify({ ...media(), content: undefined }).slice(1),
    ],
  ])('%s', async (_, body) => {
    const answer = await post(server, 'Media', body);
    expect(answer.status).toBe(201);
    expect(answer.json.content).toEqual({ contentType: 'image/png', title: 'Wound, left arm' });
    expect((await keptBytes(server, 'Media')).get(answer.json.id)).toEqual([bytes]);
    expect((await server.partition.read('Media', answer.json.id))?.text).toBe(answer.text);
    expect(answer.text).not.toContain(data.slice(0, 20));
  });

  it.each([
    ['twice', text.replace('"data"', '"data":"QUJD","data"'), 'structure Media.content.data'],
    [
      'twice, once with escapes',
      text.replace('"data"', String.raw`"d\u0061ta":"QUJD","data"`),
      'structure Media.content.data',
    ],
    ['in two contents', text.replace('"content"', `${decoy.slice(1, -1)},"content"`), 'structure Media.content'],
    ['in another case', text.replace('"data"', '"Data"'), 'structure Media.content.Data'],
    ['within itself', text.replace(`"${data}"`, '{"content":{"data":"QUJD"}}'), 'structure Media.content.data'],
    [
      'in an extension that has the path',
      text.replace('{', `{"extension":[${decoy}],`),
      'structure Media.extension[0].content',
    ],
    ['in an object beside', text.replace('{', `{"media":${decoy},`), 'structure Media.media'],
    ['with an escaped quote in it', text.replace(data, String.raw`QUJD\",\"x\":\"`), 'value Media.content.data'],
    ['with a line break that is not escaped', text.replace(data, `QUJD\nQUJD`), 'value Media.content.data'],
    ['with U+0000', text.replace(data, String.raw`QUJD\u0000`), 'value Media.content.data'],
  ])('and refused %s', async (_, body, issue) => {
    const answer = await post(server, 'Media', body);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toContain(issue);
    expect(answer.text).not.toContain(data.slice(0, 20));
  });
});
