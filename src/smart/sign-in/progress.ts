import type { DocumentStore } from '../../store/port/documents.ts';
import { digestOf } from '../../auth/token/digest.ts';
import type { Launch } from '../accounts/registered.ts';

/**
 * The progress of an authorization request: stored under the digest of its id, beside the document of oidc-provider.
 */
export interface Progress {
  /** When it began, in milliseconds since 1970 UTC. */
  readonly began: number;
  /** The user who has signed in for it, and may grant it. */
  readonly user?: string | undefined;
  readonly fhirUser?: string | undefined;
  /** The scopes that this user can grant. */
  readonly scopes?: readonly string[] | undefined;
  /** The launch by an EHR, whose token is consumed. */
  readonly launch?: Launch | undefined;
  /** Id of the patient in context. */
  readonly patient?: string | undefined;
}

/** The store of progress. */
export interface ProgressStore {
  /** Reads the progress; an unknown request begins now. */
  read(uid: string): Promise<Progress>;
  write(uid: string, progress: Progress): Promise<void>;
}

/** `longest`: how long a request may take, in milliseconds; `now` in milliseconds since 1970 UTC. */
export function createProgressStore(documents: DocumentStore, longest: number, now: () => number): ProgressStore {
  return {
    async read(uid) {
      const key = digestOf(uid);
      const kept =
        (await documents.get(key)) ??
        (await documents.put(key, { began: now() }, { expires: now() + longest, ifAbsent: true }));
      return kept as Progress; // only this module writes it
    },
    async write(uid, progress) {
      await documents.put(digestOf(uid), progress, { expires: progress.began + longest });
    },
  };
}
