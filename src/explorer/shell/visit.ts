import type { Access } from '../../auth/access.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { FormVisit } from '../../pages/visit.ts';
import type { QueryPair } from '../../search/request.ts';
import type { Ask } from './ask.ts';
import type { ExplorerParts } from './parts.ts';
import type { VisitedPartition } from './paths.ts';
import type { ShellTexts } from './texts.ts';

/** A request for a page of the explorer, with everything that its pages need. */
export interface Visit extends FormVisit {
  readonly parts: ExplorerParts;
  readonly engine: Engine;
  /** The parameters of the URL for FHIR, without those of the page. */
  readonly query: readonly QueryPair[];
  /** The parameters of the URL for the page: `pageParameters`, and on paths under `/explorer` all. */
  readonly options: URLSearchParams;
  readonly texts: ShellTexts;
  /** The partition that the path names, or that of the session; undefined without one. */
  readonly place: VisitedPartition | undefined;
  /** The rights of the visitor in that partition; undefined without a signed-in visitor. */
  readonly access: Access | undefined;
  /** The name by which the visitor is signed in; undefined without a session. */
  readonly user: string | undefined;
  /**
   * Requests JSON from the FHIR interface with the rights of the visitor: `ask('Patient?family=roy')`. The target is
   * the part of a URL below the base. Throws the FhirError that a client would get, 401 without a signed-in visitor.
   */
  readonly ask: Ask;
  /** The target of the page itself, for `ask`: the path below the base, and the query for FHIR. */
  readonly target: string;
  /** The link to a page below the base of the partition: `record('Patient/p1')`. */
  readonly record: (target: string) => string;
  /** The link to another page of the partition: `pageLink('types/Patient')`. */
  readonly pageLink: (path: string) => string;
}
