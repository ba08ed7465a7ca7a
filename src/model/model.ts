import type { InteractionCode, TypeInteraction } from '../fhir/interaction.ts';
import type { Expansions } from '../terminology/expansion.ts';
import type { TypeDefinition, TypeDefinitions } from './element.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** The compiled definitions: frozen, and all that the rest of the engine knows of them. */
export interface Model {
  /** The model of the server, below that of a partition whose records are definitions. */
  readonly below?: Model;
  /** Digest (hex) of the compiled content; it changes with every relevant definition. */
  readonly digest: string;
  /** The declared resource types, by name. */
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly systemInteractions: ReadonlySet<InteractionCode>;
  /** The supported operations on the whole system, by code. */
  readonly systemOperations: ReadonlyMap<string, Operation>;
  readonly compartments: ReadonlyMap<string, Compartment>;
  /** The compartments that can be searched, by code: `rest.compartment` declares them. */
  readonly searchedCompartments: ReadonlyMap<string, Compartment>;
  /** The scopes that allow `_explain`, each for all types; without any, it is no parameter. */
  readonly explainScopes: ReadonlySet<string>;
  /** The resource types of users who may have `user/` scopes. */
  readonly clinicians: ReadonlySet<string>;
  /** All type definitions of R4: for structure checks, FHIRPath and summaries. */
  readonly definitions: TypeDefinitions;
  /**
   * The CapabilityStatement without the parts that depend on the deployment (`implementation.url`, `date` of the
   * start).
   */
  readonly statement: Readonly<Record<string, unknown>>;
  /** True if the codes of this system are case-sensitive (CodeSystem.caseSensitive); false for unknown systems. */
  caseSensitive(system: string): boolean;
  /**
   * The code system of all codes of a value set (canonical, with or without version), for `code` elements that are
   * bound to it. Undefined if there are several or none is known (value-set-system.ts).
   */
  valueSetSystem(valueSet: string): string | undefined;
  /** The value sets and hierarchies of codes for searches. */
  readonly expansions: Expansions;
  /** All elements of a StructureDefinition, by canonical or name of a type; generated if it is not published. */
  snapshot(canonical: string): Snapshot | undefined;
}

/** One declared resource type. */
export interface ResourceType {
  readonly name: string;
  readonly definition: TypeDefinition;
  readonly interactions: ReadonlySet<TypeInteraction>;
  /** The supported operations, by code. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The named queries of searches with `_query`, by code; those without parameters are also lists of `_list`. */
  readonly queries: ReadonlyMap<string, NamedQuery>;
  readonly versioning: 'no-version' | 'versioned' | 'versioned-update';
  /** Whether a version that is not the current one can be read. */
  readonly readHistory: boolean;
  /** Whether an update creates a record under the id of the client. */
  readonly updateCreate: boolean;
  /** Whether a record to which others refer can be deleted. */
  readonly deletePolicy: 'refuse' | 'allow';
  readonly conditionalCreate: boolean;
  readonly conditionalUpdate: boolean;
  readonly conditionalDelete: 'not-supported' | 'single' | 'multiple';
  readonly conditionalRead: 'not-supported' | 'modified-since' | 'not-match' | 'full-support';
  readonly referencePolicies: ReadonlySet<string>;
  /** The search parameters for clients, with `_id` and `_lastUpdated` if declared, by code. */
  readonly parameters: ReadonlyMap<string, SearchParam>;
  /** Every indexed parameter: those for clients and those of access rules and sort; not `_id` and `_lastUpdated`. */
  readonly indexed: ReadonlyMap<string, SearchParam>;
  /** The modifiers that each parameter of the type has which can have them. */
  readonly modifiers: readonly string[];
  /** The search features of the type beyond its parameters. */
  readonly searchFeatures: ReadonlySet<string>;
  /** Accepted values of `_include` and `_revinclude`: `Observation:subject`, `Observation:*`, `*`. */
  readonly includes: { readonly forward: ReadonlySet<string>; readonly reverse: ReadonlySet<string> };
  /** The parameter whose low end is the default order, newest first; lastUpdated if undefined. */
  readonly sortDate: SearchParam | undefined;
  /** The parameter by which resources of the type refer to the one above them (hierarchy.ts). */
  readonly hierarchy: SearchParam | undefined;
  /** Codes of parameters with a sort index, in addition to dates, which all have one. */
  readonly sortIndexes: ReadonlySet<string>;
  /**
   * Owner and token parameters that share one index term, so that "this patient, this code, newest first" is one range.
   */
  readonly pairs: readonly Pair[];
  /**
   * The parameters that link records of the type to the compartments that are searched or that operations return, by
   * the code of the compartment; none of other types. The compartment's own type belongs to it too, if no parameter
   * links it.
   */
  readonly compartmentLinks: ReadonlyMap<string, readonly SearchParam[]>;
  readonly pageSize: { readonly default: number; readonly max: number };
  /** Canonical of the profile that every resource of the type must meet, if any. */
  readonly profile: string | undefined;
  readonly supportedProfiles: readonly string[];
  readonly smartScopes: readonly string[];
  readonly accessCriteria: readonly { readonly context: string; readonly criteria: string }[];
  readonly accessLinks: readonly { readonly compartment: string; readonly parameter: string }[];
  readonly attachment: Attachment | undefined;
  readonly serverSet: readonly { readonly path: string; readonly value: 'now' }[];
  /** The names of the type for users, by language. */
  readonly plainNames: ReadonlyMap<string, string>;
  readonly validationPolicy: 'off' | 'warn' | 'enforce' | undefined;
}

/** A declared operation. https://hl7.org/fhir/R4/operations.html */
export interface Operation {
  /** The code after `$` in a URL. */
  readonly code: string;
  /** Canonical of its OperationDefinition. */
  readonly url: string;
  /** The levels on which it is served, each with the methods and scopes of its calls. */
  readonly levels: Readonly<Partial<Record<OperationLevel, OperationCall>>>;
  /** Its input parameters, by name. */
  readonly parameters: ReadonlyMap<string, OperationParameter>;
  /** The search that it is, if its OperationDefinition has criteria; undefined if code implements it. */
  readonly query?: NamedQuery | undefined;
}

export type OperationLevel = 'system' | 'type' | 'instance';

/** How an operation is called on a level. */
export interface OperationCall {
  /** `GET` stands for `HEAD` too. */
  readonly methods: readonly ('GET' | 'POST')[];
  readonly scopes: OperationScopes;
  /** True if it starts a job, which is asked for afterwards. */
  readonly startsJob: boolean;
}

/**
 * The letters of scopes on the type that allow an operation, each of them enough. `parts`: what it returns is decided
 * part by part. `any`: each valid token suffices.
 */
export type OperationScopes = readonly ('c' | 'r' | 'u' | 'd' | 's')[] | 'parts' | 'any';

/** An input parameter. https://hl7.org/fhir/R4/operationdefinition-definitions.html#OperationDefinition.parameter */
export interface OperationParameter {
  readonly name: string;
  readonly min: number;
  /** Infinity for `*`. */
  readonly max: number;
  /** Its type; undefined if it has parts. */
  readonly type: string | undefined;
  /** False if the implementation does not evaluate it: a call with it is rejected. */
  readonly supported: boolean;
  /** True for a Reference that may be sent in the URL. */
  readonly inUrl: boolean;
  /** True if the operation checks its resource itself. */
  readonly isForeign: boolean;
  readonly parts: ReadonlyMap<string, OperationParameter>;
}

/**
 * Search criteria with a name: a named query of `_query`, or an operation that is a search.
 * https://hl7.org/fhir/R4/search.html#query
 */
export interface NamedQuery {
  readonly code: string;
  /** Canonical of its OperationDefinition. */
  readonly url: string;
  /** Its kind and code in messages: "query `roster`". */
  readonly label: string;
  readonly parameters: ReadonlyMap<string, QueryParameter>;
  /** At least one; the first whose conditions a call meets applies, and the last has none. */
  readonly cases: readonly QueryCase[];
}

/** One `query-criteria` of a named query. */
export interface QueryCase {
  /** The values that parameters of the call have; undefined for a parameter that is absent. */
  readonly when: readonly (readonly [name: string, value: string | undefined])[];
  /** Names and values of search parameters; `{name}` in a value is the value of a parameter of the query. */
  readonly criteria: readonly (readonly [name: string, value: string])[];
  /** The code of a date parameter: only the record with the latest date is returned; of operations alone. */
  readonly latest: string | undefined;
  /** The reason why no record is found, a sentence; undefined for criteria. */
  readonly none: string | undefined;
  /** The definition, for problems. */
  readonly source: { readonly file: string; readonly path: string };
}

/** A parameter of a named query. */
export interface QueryParameter {
  readonly name: string;
  readonly required: boolean;
  /** True if the value may be a list, with commas. */
  readonly repeats: boolean;
  readonly type: Exclude<SearchParamType, 'composite' | 'special'>;
  /** The data type of each value, such as `id`. https://hl7.org/fhir/R4/operationdefinition-definitions.html */
  readonly dataType: string;
}

export interface Attachment {
  readonly path: string;
  readonly maxBytes: number;
  readonly contentTypes: readonly { readonly type: string; readonly signature: string | undefined }[];
  readonly refusal: string | undefined;
}

export interface Pair {
  /** `patient+code`. */
  readonly code: string;
  readonly owner: SearchParam;
  readonly token: SearchParam;
}

export type SearchParamType =
  'number' | 'date' | 'string' | 'token' | 'reference' | 'composite' | 'quantity' | 'uri' | 'special';

/** One search parameter on one type, compiled. https://hl7.org/fhir/R4/searchparameter.html */
export interface SearchParam {
  /** The code in searches. */
  readonly code: string;
  readonly type: SearchParamType;
  /** Canonical url of its SearchParameter, with the version if it has one. */
  readonly url: string;
  readonly resourceType: string;
  /**
   * The branch of the FHIRPath union that applies to this type, e.g. `Observation.subject.where(resolve() is Patient)`.
   */
  readonly expression: string;
  /** Resource types that a reference may name; empty means any. */
  readonly targets: readonly string[];
  /** FHIR types of the elements that the expression yields (`CodeableConcept`, `ContactPoint`, `date`). */
  readonly dataTypes: ReadonlySet<string>;
  /**
   * True when a resource has at most one entry by its definitions: its low end is then a sort key in both directions.
   */
  readonly single: boolean;
  /** Modifiers that the definitions offer beyond those of its type, by their codes in R4 (search-modifiers.ts). */
  readonly modifiers: ReadonlySet<string>;
  /** The parameters that are indexed for some of these modifiers, by modifier. */
  readonly modified: ReadonlyMap<string, SearchParam>;
  /**
   * What its entries are, if not the values of its search type: those of a modifier (`text`, `ofType`, `identifier`),
   * the words of full-text search, the codes of words by their sound, what is inside of a record
   * (contained-index.ts), or the references of no other parameter (other-references.ts). `inside` and `versions` are
   * read from texts and never stored (read-as.ts).
   */
  readonly reads:
    | 'text'
    | 'ofType'
    | 'identifier'
    | 'words'
    | 'phonetic'
    | 'contained'
    | 'otherReferences'
    | 'inside'
    | 'versions'
    | undefined;
  /** For `otherReferences`: the paths whose references other parameters index, with the types of their targets. */
  readonly indexedPaths?: ReadonlyMap<string, ReadonlySet<string> | 'any'>;
  /** The meaning of a parameter of type special. */
  readonly special?: Special;
  /** True if fhirpath.js evaluates it, or one of its components: it may fail on a record, which is then not indexed. */
  readonly delegated: boolean;
  /** Components of a composite; each expression is relative to the result of the composite's own expression. */
  readonly components: readonly { readonly param: SearchParam; readonly expression: string }[];
  /**
   * Digest of everything that determines its entries: expression, type, targets, components, index version, meaning of
   * codes (token-meaning.ts).
   */
  readonly digest: string;
  readonly description: string | undefined;
  /** True if a record of the partition defines it. */
  readonly stored?: true;
}

/** How a parameter of type special selects records (special.ts). */
export type Special =
  /** The records are found by the id of a record that refers to them by a reference parameter of its type. */
  | { readonly kind: 'members'; readonly by: SearchParam }
  /** The records are found by a position on Earth and a distance from it. Its components are latitude and longitude. */
  | { readonly kind: 'near' };

/**
 * The parameters by which resource types belong to a compartment. https://hl7.org/fhir/R4/compartmentdefinition.html
 */
export interface Compartment {
  readonly code: string;
  readonly url: string;
  /** Parameter codes by resource type; `{def}` means the compartment's own resource. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
}
