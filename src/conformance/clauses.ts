/** A check: what is promised, and the clause of the standard that promises it. */
export interface StandardClause {
  readonly title: string;
  readonly url: string;
}

const R4 = 'https://hl7.org/fhir/R4/';

/** All checks by id, in the order of reports. README.md explains how each is made. */
export const clauses = {
  'metadata.statement': ['`/metadata` answers a CapabilityStatement of FHIR R4', `${R4}http.html#capabilities`],
  'metadata.format': ['A declared format is answered with its media type', `${R4}http.html#mime-type`],
  'smart.configuration': [
    'A server with SMART-on-FHIR answers `.well-known/smart-configuration` with the required metadata',
    'https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known',
  ],
  'read.record': ['A read answers the record that the search showed', `${R4}http.html#read`],
  'read.etag': ['The ETag of a read is `W/"[versionId]"` of its record', `${R4}http.html#versioning`],
  'read.last-modified': ['Last-Modified of a read agrees with `meta.lastUpdated`', `${R4}http.html#read`],
  'read.unknown': ['A read of an unknown id is 404 or 410', `${R4}http.html#read`],
  'vread.record': ['A vread of the current version answers it', `${R4}http.html#vread`],
  'vread.unknown': ['A vread of an unknown version is 404 or 410', `${R4}http.html#vread`],
  'conditional-read.none-match': ['A declared conditional read is 304 for the current ETag', `${R4}http.html#cread`],
  'conditional-read.modified-since': [
    'A declared conditional read is 304 if there is nothing newer',
    `${R4}http.html#cread`,
  ],
  'search.accepted': ['A declared search parameter is accepted', `${R4}search.html#errors`],
  'search.bundle': ['A search answers a Bundle of type searchset', `${R4}http.html#search`],
  'search.self': ['The self link has the parameters that were used', `${R4}search.html#conformance`],
  'search.entries': ['Each match is a record of the searched type with an id', `${R4}search.html#all`],
  'search.full-url': [
    '`fullUrl` agrees with the id of the resource',
    `${R4}bundle-definitions.html#Bundle.entry.fullUrl`,
  ],
  'search.count': ['A page has at most `_count` matches', `${R4}search.html#count`],
  'search.total': ['`Bundle.total` is the number of matches', `${R4}bundle-definitions.html#Bundle.total`],
  'search.post': ['A search by POST finds what it finds by GET', `${R4}http.html#search`],
  'search.string': ['string: begins with, without case and accents', `${R4}search.html#string`],
  'search.token': ['token: code, system and code', `${R4}search.html#token`],
  'search.reference': ['reference: type and id, id, absolute URL', `${R4}search.html#reference`],
  'search.date': ['date: the searched interval contains the value', `${R4}search.html#date`],
  'search.number': ['number: the searched precision contains the value', `${R4}search.html#number`],
  'search.quantity': ['quantity: number, system and unit', `${R4}search.html#quantity`],
  'search.uri': ['uri: the whole URI', `${R4}search.html#uri`],
  'search.composite': ['composite: the components match one element', `${R4}search.html#composite`],
  'search.special': ['A parameter without a meaning for this tester is accepted', `${R4}search.html#special`],
  'search.or': ['Values with commas are alternatives', `${R4}search.html#combining`],
  'search.and': ['Parameters are combined by and', `${R4}search.html#combining`],
  'modifier.missing': ['`:missing` separates records with a value from those without', `${R4}search.html#modifiers`],
  'modifier.exact': ['`:exact` compares the whole text', `${R4}search.html#string`],
  'modifier.contains': ['`:contains` finds a part of the text', `${R4}search.html#string`],
  'modifier.not': ['`:not` finds the records without the code', `${R4}search.html#token`],
  'modifier.text': ['`:text` searches the text of a code', `${R4}search.html#token`],
  'modifier.of-type': ['`:of-type` finds an identifier of a type', `${R4}search.html#token`],
  'modifier.type': ['`:[type]` limits a reference to a type', `${R4}search.html#reference`],
  'modifier.identifier': ['`:identifier` finds the identifier of a reference', `${R4}search.html#reference`],
  'modifier.below': ['`:below` finds URIs below another', `${R4}search.html#uri`],
  'modifier.above': ['`:above` finds URIs above another', `${R4}search.html#uri`],
  'modifier.unknown': ['A modifier that does not exist is rejected', `${R4}search.html#modifiers`],
  'prefix.eq': ['eq', `${R4}search.html#prefix`],
  'prefix.ne': ['ne', `${R4}search.html#prefix`],
  'prefix.gt': ['gt', `${R4}search.html#prefix`],
  'prefix.lt': ['lt', `${R4}search.html#prefix`],
  'prefix.ge': ['ge', `${R4}search.html#prefix`],
  'prefix.le': ['le', `${R4}search.html#prefix`],
  'prefix.sa': ['sa', `${R4}search.html#prefix`],
  'prefix.eb': ['eb', `${R4}search.html#prefix`],
  'prefix.ap': ['ap', `${R4}search.html#prefix`],
  'search.sort': ['`_sort` orders the matches, and finds the same', `${R4}search.html#sort`],
  'search.include': [
    '`_include` adds the records to which matches refer, and no others',
    `${R4}search.html#revinclude`,
  ],
  'search.revinclude': [
    '`_revinclude` adds records that refer to matches, and no others',
    `${R4}search.html#revinclude`,
  ],
  'search.chain': ['A chain tests the record to which a reference leads', `${R4}search.html#chaining`],
  'search.has': ['`_has` tests records that refer to the match', `${R4}search.html#has`],
  'search.filter': ['`_filter` finds what the same search parameters find', `${R4}search_filter.html`],
  'search.compartment': [
    'A search of a compartment finds the records that belong to it, and no others',
    `${R4}compartmentdefinition.html`,
  ],
  'search.summary': ['`_summary=count` answers the total without entries', `${R4}search.html#summary`],
  'search.elements': ['`_elements` finds the same records, with the named elements', `${R4}search.html#elements`],
  'paging.link': ['Each next link leads to a page of the same search', `${R4}http.html#paging`],
  'paging.once': ['No record is on two pages', `${R4}http.html#paging`],
  'paging.complete': ['All pages together are the whole result', `${R4}http.html#paging`],
  'error.outcome': ['An error has an OperationOutcome with an issue', `${R4}http.html#Status-Codes`],
  'error.unknown-type': ['An unknown resource type is 404', `${R4}http.html#Status-Codes`],
  'error.unknown-parameter': [
    'An unknown parameter is rejected, or absent from the self link',
    `${R4}search.html#errors`,
  ],
  'error.value': ['A malformed date is rejected, or absent from the self link', `${R4}search.html#errors`],
  'negotiation.media-type': ['The answer has the requested media type', `${R4}http.html#mime-type`],
  'negotiation.format': ['`_format` takes precedence over Accept', `${R4}http.html#parameters`],
  'negotiation.unsupported': ['A media type that is not offered is 406', `${R4}http.html#mime-type`],
  'operation.everything': [
    '`$everything` answers a searchset that has the record itself',
    `${R4}patient-operation-everything.html`,
  ],
  'operation.meta': ['`$meta` answers the labels of the record', `${R4}resource-operation-meta.html`],
  'operation.lastn': [
    '`$lastn` answers the newest records of the patient and the code, and no others',
    `${R4}observation-operation-lastn.html`,
  ],
  'operation.expand': ['`$expand` answers the codes of a value set', `${R4}valueset-operation-expand.html`],
  'operation.lookup': ['`$lookup` answers the name and display of a code', `${R4}codesystem-operation-lookup.html`],
  'operation.validate-code': [
    '`$validate-code` is true for a code of the value set or system, and false for another one',
    `${R4}valueset-operation-validate-code.html`,
  ],
  'write.create': ['A create is 201 with Location, and the record can be read', `${R4}http.html#create`],
  'write.update': ['An update makes a new version with the new content', `${R4}http.html#update`],
  'write.if-match': ['An update of a version that is not current is 412', `${R4}http.html#concurrency`],
  'write.patch-json': ['A JSON Patch changes the record, and only if its tests hold', `${R4}http.html#patch`],
  'write.patch-fhirpath': ['A FHIRPath Patch changes the record', `${R4}fhirpatch.html`],
  'write.history': ['The history has each version, the newest first', `${R4}http.html#history`],
  'write.vread': ['An earlier version can be read', `${R4}http.html#vread`],
  'write.conditional-create': ['A conditional create makes no second record', `${R4}http.html#ccreate`],
  'write.conditional-update': ['A conditional update changes the record that matches', `${R4}http.html#cond-update`],
  'write.conditional-delete': ['A conditional delete deletes the record that matches', `${R4}http.html#3.1.0.7.1`],
  'write.delete': ['A deleted record is 410 or 404, and no search finds it', `${R4}http.html#delete`],
  'write.batch': ['A batch answers each entry on its own', `${R4}http.html#transaction`],
  'write.transaction': ['A transaction resolves its references, and is all or nothing', `${R4}http.html#transaction`],
} as const satisfies Readonly<Record<string, readonly [title: string, url: string]>>;

export type CheckId = keyof typeof clauses;

/** The promise of a check and its clause. */
export function clauseOf(id: CheckId): StandardClause {
  const [title, url] = clauses[id];
  return { title, url };
}
