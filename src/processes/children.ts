import { setTimeout as delay } from 'node:timers/promises';
import type { Member } from './member.ts';

/** The children of a server: as many as wanted, each replaced when it ends. */
export interface Children {
  readonly members: ReadonlySet<Member>;
  /** Starts them; rejects if one cannot start. */
  start(): Promise<void>;
  /** Replaces a child that has announced its end. */
  replace(member: Member): void;
  /** Replaces one after the other: the new one is ready before the old one stops. Reports a failure, never rejects. */
  restart(): Promise<void>;
  /** Ends all; they complete their requests. */
  close(patience: number): Promise<void>;
}

export interface ChildrenParts {
  readonly members: Set<Member>;
  /** How many. */
  readonly count: number;
  readonly begin: () => Member;
  /** A child is ready to answer. */
  readonly ready: () => void;
  readonly ended: (member: Member) => void;
  readonly notice: (text: string) => void;
  /** Idle timeout of a connection, and the longest time for running requests at an end; in milliseconds. */
  readonly keepAlive: number;
  readonly longest: number;
}

/** A child that ended earlier after its start counts as failed: the next one waits. Milliseconds. */
const young = 10_000;
/** The waits after failures, in milliseconds. */
const waits = [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/** Beyond the time for running requests a child that does not end is killed after this time, in milliseconds. */
const beyond = 5_000;

export function createChildren(parts: ChildrenParts): Children {
  const { members, count, begin, ready, notice, keepAlive, longest } = parts;
  let isClosing = false;
  let failures = 0;
  let restarting: Promise<void> = Promise.resolve();
  /** The child whose successor a restart is starting. */
  let succeeded: Member | undefined;

  const add = async (): Promise<void> => {
    const began = performance.now();
    const member = begin();
    members.add(member);
    let isStarted = false;
    const gone = member.ended.then(how => {
      members.delete(member);
      parts.ended(member);
      if (performance.now() - began > young) failures = 0;
      if (isClosing || !isStarted) return;
      if (member.isLeaving || member === succeeded) return; // its successor runs already, or starts
      notice(`A process that answers requests has ended (${how}) and is replaced.`);
      void replaceLater();
    });
    try {
      await member.started;
    } catch (error) {
      member.kill();
      await gone;
      throw error;
    }
    if (!members.has(member)) throw new Error('A process has ended right after its start');
    isStarted = true;
    ready();
  };
  const replaceLater = async (): Promise<void> => {
    for (;;) {
      await delay(waits[Math.min(failures, waits.length - 1)], undefined, { ref: false });
      failures += 1;
      if (isClosing) return;
      try {
        await add();
        return;
      } catch (error) {
        if (!isClosing) notice(`${textOf(error)}. It is tried again.`);
      }
    }
  };
  const end = async (member: Member, patience: number): Promise<void> => {
    member.leave();
    member.link.tell('close', patience);
    const late = setTimeout(() => member.kill(), patience + longest + beyond);
    await member.ended;
    clearTimeout(late);
  };
  /** Starts the successor of a child, and lets that end; throws if the successor does not get ready. */
  const succeed = async (old: Member): Promise<void> => {
    succeeded = old;
    try {
      await add();
    } catch (error) {
      if (!members.has(old) || old.isLeaving) void replaceLater(); // it has ended meanwhile, or announced that
      throw error;
    } finally {
      succeeded = undefined;
    }
    // Idle connections end as they always do, so that no request is on its way then.
    await Promise.race([end(old, keepAlive + 1_000), delay(longest, undefined, { ref: false })]);
  };
  const restartAll = async (): Promise<void> => {
    const former = [...members].filter(({ isReady }) => isReady);
    if (former.length === 0 && !isClosing) return notice(noneAnswers);
    for (const [replaced, old] of former.entries()) {
      if (isClosing) return;
      if (!old.isReady) continue; // it has ended, and was replaced
      try {
        await succeed(old);
      } catch (error) {
        const text = `The restart of the processes has failed: ${textOf(error)}.`;
        if (!isClosing) notice(`${text} Replaced: ${replaced} of ${former.length}; the others go on as before.`);
        return;
      }
    }
    if (!isClosing) notice('The processes that answer requests were restarted.');
  };
  return {
    members,
    async start() {
      await Promise.all(Array.from({ length: count }, add));
    },
    replace(member) {
      notice(`A process that answers requests ends after an error (${member.pid}) and is replaced.`);
      if (member !== succeeded) void replaceLater(); // its successor starts already
    },
    restart: () => (restarting = restarting.then(restartAll)),
    async close(patience) {
      isClosing = true;
      await Promise.all([...members].map(member => end(member, patience)));
    },
  };
}

const noneAnswers =
  'The restart of the processes has failed: none of them answers requests now. Each is started again when it can be.';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
