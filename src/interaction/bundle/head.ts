import type { ContainerType } from './container-type.ts';

/** What a Bundle says outside of its entries, and where those with an address of their own go. https://hl7.org/fhir/R4/bundle.html */
export interface BundleHead {
  readonly type: ContainerType;
  /** The Bundle without its entries. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** True where each entry stands alone, so that they can be loaded one by one. */
  readonly independent: boolean;
  /** By fullUrl, where that is not simply the place of the resource on some server. */
  readonly targets: Targets;
}

/** Where the resources of a Bundle go, by their fullUrl. */
export type Targets = Map<string, Target>;

export interface Target {
  /** `Type/id`. */
  readonly reference: string;
  /** False until it is known whether a conditional create or update finds a resource that is there already. */
  readonly settled: boolean;
}

/** What decides where entries go. */
export interface Addressing {
  readonly base: string;
  /** An id for a resource that brings none, the same whenever this input is loaded. */
  newId(at: string): string;
}
