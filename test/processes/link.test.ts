// Calls between the processes of a server: src/processes/link.ts.
import { describe, expect, it } from 'vitest';
import { LinkClosed, openLink } from '../../src/processes/link.ts';
import { StoreUnavailable } from '../../src/store/port/errors.ts';
import { pair } from './support/channel.ts';

type Calls = {
  readonly double: (value: number) => Promise<number>;
  readonly fail: () => void;
  readonly note: (text: string) => void;
};

describe('a link', () => {
  it('calls functions of the other end, those of one turn of the event loop in one message', async () => {
    const { ends, sent } = pair();
    const noted: string[] = [];
    openLink(
      ends[1],
      { double: async (value: number) => value * 2, note: (text: string) => void noted.push(text) },
      unexpected,
    );
    const link = openLink<Calls>(ends[0], {}, unexpected);
    link.tell('note', 'a');
    expect(await Promise.all([link.ask('double', 2), link.ask('double', 3)])).toEqual([4, 6]);
    expect(noted).toEqual(['a']);
    expect(sent).toHaveLength(1);
  });

  it('throws the errors of the other end, with the reason of an unavailable store', async () => {
    const { ends } = pair();
    const fail = (): void => {
      throw new StoreUnavailable('no-store', 'The disk is full');
    };
    openLink(ends[1], { fail }, unexpected);
    const link = openLink<Calls>(ends[0], {}, unexpected);
    const error: unknown = await link.ask('fail').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toMatchObject({ reason: 'no-store', message: 'The disk is full' });
  });

  it('reports the errors of calls that no caller waits for', async () => {
    const { ends } = pair();
    const broken = Promise.withResolvers<unknown>();
    const fail = (): void => {
      throw new Error('a defect');
    };
    openLink(ends[1], { fail }, broken.resolve);
    openLink<Calls>(ends[0], {}, unexpected).tell('fail');
    expect(await broken.promise).toMatchObject({ message: 'a defect' });
  });

  it('rejects what waits, and what is called later, once the other end is gone', async () => {
    const channel = pair();
    const { ends } = channel;
    openLink(ends[1], { double: () => new Promise(() => {}) }, unexpected);
    const link = openLink<Calls>(ends[0], {}, unexpected);
    const waiting = link.ask('double', 1);
    channel.cut();
    await expect(waiting).rejects.toThrow(LinkClosed);
    await expect(link.ask('double', 1)).rejects.toThrow(LinkClosed);
  });
});

function unexpected(error: unknown): never {
  throw error;
}
