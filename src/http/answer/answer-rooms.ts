import type { ServerResponse } from 'node:http';
import { AnswerRoom } from '../../interaction/answer-room.ts';
import { createPlaceCounts } from '../connection/places.ts';
import { createSlots } from '../../limits/slots.ts';
import type { ShareOf } from '../connection/shares.ts';

/** Most characters of the answers of a process that are made or not sent yet; small answers are not counted. */
export const mostAnswers = 128 * 1024 * 1024;

/** Requests that read a long page at a time: what they may read is at most half of `mostAnswers`. */
const mostReading = 4;

/** The rooms for the answers of a process. */
export interface AnswerRooms {
  /** The room for the answer of a request from an address. */
  open(address: string): AnswerRoom;
}

/** Counts rooms by shares like places: the last quarter is for shares that hold less than a quarter. */
export function createAnswerRooms(shareOf: ShareOf): AnswerRooms {
  const counts = createPlaceCounts(mostAnswers);
  const reading = createSlots(mostReading);
  return {
    open(address) {
      const share = shareOf(address);
      return new AnswerRoom({
        take: characters => counts.take(share, characters),
        give: characters => counts.give(share, characters),
        read: () => reading.take(share),
      });
    },
  };
}

/** Gives the room back when the answer is sent, or the client has disconnected. */
export function endWith(response: ServerResponse, room: AnswerRoom): void {
  if (room.isEmpty) return;
  if (response.closed) room.end();
  else response.once('close', () => room.end());
}
