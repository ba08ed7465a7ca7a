import { EventEmitter } from 'node:events';
import type { Channel } from '../../../src/processes/link.ts';

/** Both ends of a channel in one process, with the messages that were sent from the first one. */
export function pair(): { readonly ends: readonly [Channel, Channel]; readonly sent: unknown[]; cut(): void } {
  const [left, right] = [new EventEmitter(), new EventEmitter()];
  const sent: unknown[] = [];
  let isOpen = true;
  const end = (own: EventEmitter, other: EventEmitter, kept: unknown[]): Channel => ({
    get connected() {
      return isOpen;
    },
    on: (event: string, listener: (...values: unknown[]) => void) => own.on(event, listener),
    send(message, done) {
      kept.push(message);
      other.emit('message', structuredClone(message));
      done(null);
      return true;
    },
  });
  return {
    ends: [end(left, right, sent), end(right, left, [])],
    sent,
    cut() {
      isOpen = false;
      for (const emitter of [left, right]) emitter.emit('disconnect');
    },
  };
}
