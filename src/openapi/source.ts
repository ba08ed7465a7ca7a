import type { JsonObject } from '../fhir/json-object.ts';
import type { Model } from '../model/model.ts';
import type { Call } from './calls.ts';
import type { Components } from './components.ts';

/** What the parts of a document are made from. */
export interface Source {
  readonly model: Model;
  readonly components: Components;
  /** The codes of a value set (canonical), if they are loaded and few. */
  readonly fewCodes: (valueSet: string) => readonly string[] | undefined;
  /** The `security` of a call; an empty object on a server without access control. */
  readonly securityOf: (call: Call) => JsonObject;
}
