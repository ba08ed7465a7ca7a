import type { DocumentStore } from '../store/documents.ts';
import { digestOf } from '../auth/token/digest.ts';
import type { Launch } from './registered.ts';

/** How far an authorization request has come: kept under the digest of its id, beside what oidc-provider keeps. */
export interface Progress {
  /** When it began, in milliseconds since 1970 UTC. */
  readonly began: number;
  /** Who has signed in for it, and may grant it. */
  readonly user?: string | undefined;
  readonly fhirUser?: string | undefined;
  /** What that user can grant of it. */
  readonly scopes?: readonly string[] | undefined;
  /** What the EHR said: its value is used up by then. */
  readonly launch?: Launch | undefined;
  /** Id of the patient in context. */
  readonly patient?: string | undefined;
}

/** Where progress is kept. */
export interface ProgressStore {
  /** How far it has come; a request of which nothing is known yet begins now. */
  read(uid: string): Promise<Progress>;
  write(uid: string, progress: Progress): Promise<void>;
}

/** `longest`: how long a request may take in all, in milliseconds; `now` in milliseconds since 1970 UTC. */
export function createProgressStore(documents: DocumentStore, longest: number, now: () => number): ProgressStore {
  return {
    async read(uid) {
      const key = digestOf(uid);
      const kept = (await documents.get(key)) ?? (await documents.putIfAbsent(key, { began: now() }, now() + longest));
      return kept as Progress; // written here alone
    },
    write: (uid, progress) => documents.put(digestOf(uid), progress, progress.began + longest),
  };
}
