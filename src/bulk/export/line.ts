import { buffer } from 'node:stream/consumers';
import { withPropertyAt } from '../../fhir/edit-text.ts';
import { subset } from '../../interaction/subset.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { KeptVersion } from '../../store/port/transfer.ts';
import type { ExportTask } from './task.ts';

/**
 * The line of a record: its text, with the content of attachments that the store has apart, and the elements that were
 * asked for; a promise if it has attachments. Throws `TextDamaged`, and rejects with Error if one is missing.
 */
export function lineOf(
  { model }: Pick<Engine, 'model'>,
  { base, elements, isForClients }: ExportTask,
  partition: Partition,
  type: ResourceType,
  record: KeptVersion & { readonly text: string },
): string | Promise<string> {
  let { text } = record;
  // A stored text is compact: no string of JSON has a line feed.
  if (text.includes('\n')) throw new Error('The text has a line feed');
  const names = elements?.filter(one => one.type === undefined || one.type === type.name).map(({ name }) => name);
  if (names !== undefined && names.length > 0)
    text = subset(text, { summary: 'false', elements: names }, type.definition, model.definitions);
  if (record.attachments.length === 0) return isForClients ? withAbsolute(text, base) : text;
  const whole = withContents(text, partition, record);
  return isForClients ? whole.then(found => withAbsolute(found, base)) : whole;
}

/** A client opens the URL of a Binary with its token: a relative one has no base in a file. */
const withAbsolute = (text: string, base: string): string =>
  text.includes('"url":"Binary/') ? text.replaceAll('"url":"Binary/', `"url":"${base}/Binary/`) : text;

/** The text with the base64 of its attachments, each in the next object at its path that has its media type. */
async function withContents(text: string, partition: Partition, { attachments }: KeptVersion): Promise<string> {
  let whole = text;
  for (const [path, of] of Map.groupBy(attachments, one => one.path)) {
    const names = path.split('.').slice(1);
    const last = names.at(-1) ?? 'data';
    const waiting = [...of];
    const contents: (string | undefined)[] = [];
    for (const { digest } of waiting) {
      const stream = await partition.attachment(digest);
      if (stream === undefined) throw new Error(`The attachment ${digest} is missing`);
      contents.push((await buffer(stream)).toString('base64'));
    }
    let next = 0;
    whole = withPropertyAt(whole, names.slice(0, -1), object => {
      const attachment = waiting[next];
      if (attachment === undefined || !object.includes(`"contentType":${JSON.stringify(attachment.contentType)}`))
        return undefined;
      const content = contents[next];
      next += 1;
      return { name: last, value: JSON.stringify(content) };
    });
  }
  return whole;
}
