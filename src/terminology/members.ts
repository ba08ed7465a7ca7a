import type { JsonObject } from '../fhir/json-object.ts';
import type { Concept } from './code-system.ts';

/** A code of a value set. */
export interface SetMember {
  readonly system: string;
  /** The version of the system, if it is loaded and has one. */
  readonly version: string | undefined;
  readonly code: string;
  /** Undefined if its system is not loaded. */
  readonly concept: Concept | undefined;
  /** What the value set states about it: a display and designations. */
  readonly stated: JsonObject | undefined;
}

/** Why the codes of a value set cannot be listed: a sentence without its point. */
export class NotExpanded extends Error {
  readonly kind: NotExpandedKind;

  constructor(kind: NotExpandedKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** `missing`: a system or value set is not loaded; `version`: only in other versions; `wrong`: the set is wrong. */
export type NotExpandedKind = 'missing' | 'version' | 'version-check' | 'wrong' | 'circular' | 'undecided' | 'large';
