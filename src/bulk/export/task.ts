import { createAccess } from '../../auth/access.ts';
import type { Access } from '../../auth/access.ts';
import type { Model } from '../../model/model.ts';

/** What an export has to do: the kick-off, checked. JSON, which the job has until it is done. */
export interface ExportTask {
  /** The URL of the kick-off with its query. */
  readonly request: string;
  /** `{publicUrl}/r4/{partition}` */
  readonly base: string;
  readonly partition: string;
  readonly level: 'system' | 'patient' | 'group';
  /** The id of the Group. */
  readonly group?: string | undefined;
  /** The moment of the store that is exported, in milliseconds since 1970 UTC: `transactionTime`. */
  readonly moment: number;
  /** Only records that changed after this moment. */
  readonly since?: number | undefined;
  /** The types that are exported, and whether the client named them. */
  readonly types: readonly string[];
  readonly isNamed: boolean;
  /** Searches of a type, without its name: a record must match one of them. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** Elements, with the type that they are of; undefined: all. */
  readonly elements?: readonly { readonly type?: string | undefined; readonly name: string }[] | undefined;
  /** Ids of patients; undefined: all, or all of the Group. */
  readonly patients?: readonly string[] | undefined;
  readonly provenance: 'usual' | 'latest' | 'relevant';
  /** Whose scopes apply; undefined with open access. */
  readonly caller?: ExportCaller | undefined;
  /** What was ignored, as sentences for `error`. */
  readonly ignored: readonly string[];
  /** Whether Binary resources in URLs of attachments get absolute URLs. */
  readonly isForClients: boolean;
}

/** The client of an export with the scopes that count, and of a user what these depend on. */
export interface ExportCaller {
  readonly issuer: string;
  readonly client: string;
  readonly scopes: readonly string[];
  readonly subject?: string | undefined;
  readonly patient?: string | undefined;
  readonly fhirUser?: string | undefined;
}

/** The caller of a request as an export has it: scopes of users and patients do not count. */
export const callerOf = (access: Access): ExportCaller | undefined =>
  access === 'open'
    ? undefined
    : {
        issuer: access.issuer,
        client: access.client,
        scopes: access.scopes.filter(scope => scope.startsWith('system/')),
      };

/** The rights of a caller in an export: those of a token with its scopes. `now` as in `createAccess`. */
export function accessOf(
  caller: ExportCaller | undefined,
  {
    model,
    base,
    partition,
    zone,
    now,
  }: {
    readonly model: Model;
    readonly base: string;
    readonly partition: string;
    readonly zone: string;
    readonly now: number;
  },
): Access {
  if (caller === undefined) return 'open';
  const { issuer, client, scopes, subject, patient, fhirUser } = caller;
  const claims = { issuer, client, subject, patient, fhirUser };
  return createAccess(
    { ...claims, scope: scopes.join(' '), partition, expires: Number.MAX_SAFE_INTEGER },
    { model, base, zone, now },
  );
}
