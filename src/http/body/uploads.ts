import type { IncomingMessage } from 'node:http';
import { createByteBudget } from '../../limits/byte-budget.ts';
import { fhirError } from '../../fhir/error.ts';
import { growHeapSlowly } from '../../limits/small-heap.ts';
import type { Slots } from '../../limits/slots.ts';

/** Bytes above which a body is an upload. */
export const largeBody = 1024 * 1024;
/** Maximum number of uploads in memory. */
export const mostUploads = 4;
/** How long another one waits unread, in milliseconds. */
export const longestUploadWait = 10_000;

/** Bytes above which a body that is no upload waits for its share of `mostAtWork`. */
const smallBody = 16 * 1024;
/**
 * Maximum number of bytes of such bodies that are worked on at the same time in this process: parsed, JSON takes up to
 * twenty times its length.
 */
const mostAtWork = 8 * 1024 * 1024;

/**
 * Maximum number of bytes of Bundles that are uploads and worked on at the same time in this process: with the records
 * that are made of them they take up to ten times as much. A larger one is worked on alone.
 */
const mostBundles = 64 * 1024 * 1024;
/** Bytes of a Bundle above which the heap grows slowly while it is worked on. */
const largeBundle = 8 * 1024 * 1024;

/** Maximum number of bytes of bodies that are no uploads, received in part or whole, in this process. */
const mostHeld = 192 * 1024 * 1024;

/** The places for uploads, which limit the memory of the server. */
export interface Uploads {
  /**
   * Waits for a place, in order, and takes it, and for so many bytes of `mostBundles`; the result releases them. Throws
   * FhirError 503 on timeout, and 400 if the client disconnects meanwhile.
   */
  enter(request: IncomingMessage, bundle: number): Promise<() => void>;
  /**
   * Takes memory for a part of a body that is no upload and has `before` bytes already; false if bodies have too much.
   * Small ones always get it, so that large ones which never end refuse no others.
   */
  hold(bytes: number, before: number): boolean;
  /** Gives it back. */
  release(bytes: number): void;
  /** Waits until a complete body that is no upload may be worked on; the result says that this is over. */
  begin(bytes: number): Promise<() => void>;
  /** The number of uploads without a place. */
  readonly waiting: number;
}

/** A request waits `longest` milliseconds for one of the slots. */
export function createUploads(slots: Slots, longest: number): Uploads {
  let waiting = 0;
  let held = 0;
  const atWork = createByteBudget(mostAtWork);
  const ofBundles = createByteBudget(mostBundles);
  return {
    hold(bytes, before) {
      if (before + bytes > smallBody && held + bytes > mostHeld) return false;
      held += bytes;
      return true;
    },
    release: bytes => void (held -= bytes),
    begin: bytes => (bytes > smallBody ? atWork.take(bytes) : nothingHeld),
    get waiting() {
      return waiting;
    },
    enter(request, bundle) {
      waiting += 1;
      return new Promise((resolve, reject) => {
        let isOver = false;
        const leave = (then: () => void): void => {
          if (isOver) return;
          isOver = true;
          waiting -= 1;
          clearTimeout(timer);
          request.off('close', left);
          then();
        };
        const timer = setTimeout(() => leave(() => reject(busy())), longest);
        const left = (): void => leave(() => reject(gone()));
        request.once('close', left);
        const both = async (): Promise<() => void> => {
          if (bundle === 0) return slots.take();
          // Before the place, so that a Bundle that waits for others keeps no upload of another kind out.
          const give = await ofBundles.take(bundle);
          if (isOver) return give;
          const release = await slots.take();
          const grow = bundle > largeBundle ? growHeapSlowly() : undefined;
          return () => {
            grow?.();
            release();
            give();
          };
        };
        both().then(
          release => (isOver ? release() : leave(() => resolve(release))),
          (error: unknown) => leave(() => reject(error)),
        );
      });
    },
  };
}

const nothingHeld = Promise.resolve(() => {});

/** Too many bodies are in memory. */
export const busy = () =>
  fhirError(503, 'throttled', 'Too many large bodies are being read. Retry later.', undefined, {
    'Retry-After': '10',
  });

const gone = () => fhirError(400, 'invalid', 'The request body ended before it was complete.');
