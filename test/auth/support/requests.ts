import * as fc from 'fast-check';
import { patients } from './records.ts';

/** A request that a client may send, below the base URL. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const pick = fc.constantFrom;
const types = [
  'Patient',
  'Observation',
  'Appointment',
  'Condition',
  'MedicationRequest',
  'FamilyMemberHistory',
  'Encounter',
  'Communication',
  'Practitioner',
  'Media',
  'List',
  'Location',
];
const ids = [
  ...patients,
  ...types.flatMap(type => [0, 1, 2].map(number => `${type.slice(0, 3).toLowerCase()}${number}`)),
  'dr',
  'other',
  'nobody',
  'a%2fb',
];
const anyPatient = pick(...patients, 'nobody');

/** Searches that each type offers. */
const offered: Readonly<Record<string, readonly string[]>> = {
  Patient: ['name=roy', 'family=Roy', 'gender=female', 'active:missing=true', 'gender:not=male'],
  Observation: ['category=a', 'code=a', 'code:not=a', 'date=ge2025', 'date=lt2025'],
  Appointment: ['status=booked', 'status:not=booked', 'date=2025-01-01', 'practitioner:missing=true'],
  Condition: [
    'code=http://codes.example|b',
    'code:missing=false',
    'recorded-date=2024',
    'clinical-status:missing=true',
  ],
  MedicationRequest: ['status=active', 'status:not=active'],
  FamilyMemberHistory: ['status=partial,completed'],
  Encounter: ['status=finished', 'date:missing=true', 'appointment:missing=true'],
  Communication: ['identifier=c1', 'identifier=urn:client|c2', 'status:not=completed', 'recipient=Patient/p1'],
};
const patientOf = fc.tuple(anyPatient, fc.boolean()).map(([id, short]) => `patient=${short ? id : `Patient/${id}`}`);
const anyIds = fc.uniqueArray(pick(...ids), { minLength: 1, maxLength: 4 }).map(list => `_id=${list.join(',')}`);
const odd = pick(
  '_id:not=p1',
  '_lastUpdated=ge2026-01-01',
  '_lastUpdated=lt2026-06-01',
  'general-practitioner=Practitioner/dr',
  'authoredon=2020',
  'nme=a',
  'patient=',
  'patient=Practitioner/dr',
  'status=a',
  'code=a',
);
const parameterOf = (type: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: pick(...(offered[type] ?? ['code=a'])) },
    { weight: 2, arbitrary: patientOf },
    { weight: 1, arbitrary: anyIds },
    { weight: 1, arbitrary: odd },
  );
const anyParameter = pick(...Object.keys(offered)).chain(parameterOf);
const control = pick(
  '_total=accurate',
  '_total=accurate',
  '_total=estimate',
  '_summary=count',
  '_summary=true',
  '_count=0',
  '_count=1',
  '_count=2',
  '_sort=-_lastUpdated',
  '_sort=_id',
  '_sort=date',
  '_sort=-recorded-date,_id',
  '_elements=id',
  '_page_token=x',
  '_explain=true',
);
const lenient = pick<Readonly<Record<string, string>>>({}, {}, { Prefer: 'handling=lenient' });

const search = (anyType: fc.Arbitrary<string>) =>
  anyType
    .chain(type =>
      fc.tuple(
        pick(type),
        fc.array(parameterOf(type), { maxLength: 2 }),
        fc.uniqueArray(control, { maxLength: 2 }),
        lenient,
        fc.boolean(),
      ),
    )
    .map(([type, parameters, controls, headers, byPost]): Asked => {
      const query = [...parameters, ...controls].join('&');
      if (!byPost) return { method: 'GET', path: `/${type}?${query}`, headers, body: undefined };
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      return { method: 'POST', path: `/${type}/_search`, headers: { ...headers, ...form }, body: query };
    });

const condition = pick<Readonly<Record<string, string>>>(
  {},
  {},
  { 'If-None-Match': '*' },
  { 'If-None-Match': 'W/"1"' },
  { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
);
/** An id such as records of the type have, or any. */
const idOf = (type: string): fc.Arbitrary<string> => {
  const own = ids.filter(id =>
    type === 'Patient' ? patients.includes(id) : id.startsWith(type.slice(0, 3).toLowerCase()),
  );
  return fc.oneof(
    { weight: 4, arbitrary: pick(...own, ...(own.length === 0 ? ids : [])) },
    { weight: 1, arbitrary: pick(...ids) },
  );
};
/** A record that may be there. */
type Target = readonly [type: string, id: string];
const anyTarget: fc.Arbitrary<Target> = pick(...types).chain(type => fc.tuple(pick(type), idOf(type)));
const read = (target: fc.Arbitrary<Target>) =>
  fc
    .tuple(pick('GET', 'GET', 'HEAD'), target, condition, pick('', '', '', '?_summary=true', '?_elements=id', '?nme=a'))
    .map(([method, [type, id], headers, query]): Asked => ({
      method,
      path: `/${type}/${id}${query}`,
      headers,
      body: undefined,
    }));

const other = fc
  .tuple(
    pick('GET', 'PUT', 'DELETE', 'POST'),
    pick(...types),
    pick(...ids),
    pick('', '/_history', '/_history/1', '/$everything'),
  )
  .map(([method, type, id, rest]): Asked => ({ method, path: `/${type}/${id}${rest}`, headers: {}, body: undefined }));

/** Versions of a record, of a type, and of all. */
const history = (target: fc.Arbitrary<Target>) =>
  fc
    .tuple(
      target,
      pick('/_history/1', '/_history/2', '/_history', '/_history', ' of type', ' of type', ' of all'),
      pick('', '', '_count=1', '_count=2', '_sort=_lastUpdated', '_since=2026-01-01', '_at=2026-06', '_page_token=x'),
      condition,
    )
    .map(([[type, id], what, query, headers]): Asked => {
      const of = what === ' of all' ? '' : what === ' of type' ? `/${type}` : `/${type}/${id}`;
      const rest = what.startsWith('/') ? what : '/_history';
      return { method: 'GET', path: `${of}${rest}${query === '' ? '' : `?${query}`}`, headers, body: undefined };
    });

/** Updates and deletes, of records that are here and of others. */
const change = (target: fc.Arbitrary<Target>) =>
  fc
    .tuple(
      target,
      pick('PUT', 'PUT', 'DELETE'),
      anyPatient,
      fc.option(fc.tuple(pick(...types), pick(...ids)), { nil: undefined, freq: 1 }),
      pick<Readonly<Record<string, string>>>({}, {}, {}, { 'If-Match': 'W/"1"' }, { 'If-Match': '*' }),
      pick('c1', 'c2'),
      fc.oneof({ weight: 3, arbitrary: pick(undefined) }, { weight: 2, arbitrary: parameterOf('Communication') }),
    )
    .map(([[type, given], method, subject, about, headers, client, criteria]): Asked => {
      const id = criteria === undefined ? given : undefined;
      const path = criteria === undefined ? `/${type}/${given}` : `/${type}?${criteria}`;
      if (method === 'DELETE') return { method, path, headers, body: undefined };
      const others =
        about === undefined ? {} : { about: [{ reference: `${about[0]}/${about[1].replace('%2f', '')}` }] };
      const body = JSON.stringify({
        resourceType: type,
        id,
        status: 'completed',
        identifier: [{ system: 'urn:client', value: client }],
        subject: { reference: `Patient/${subject}` },
        ...others,
      });
      return { method, path, headers: { ...headers, 'Content-Type': 'application/fhir+json' }, body };
    });

/** Adds or removes a tag, where it is served. */
const tagged = (target: fc.Arbitrary<Target>) =>
  fc.tuple(target, pick('meta-add', 'meta-delete'), pick('x', 'y')).map(([[type, id], operation, code]): Asked => {
    const valueMeta = { tag: [{ system: 'urn:tag', code }] };
    const body = JSON.stringify({ resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta }] });
    const headers = { 'Content-Type': 'application/fhir+json' };
    return { method: 'POST', path: `/${type}/${id}/$${operation}`, headers, body };
  });

/** Patches, whose tests and paths ask what a record has, of records that are here and of others. */
const patch = (target: fc.Arbitrary<Target>) =>
  fc
    .tuple(
      target,
      fc.oneof({ weight: 3, arbitrary: pick(undefined) }, { weight: 1, arbitrary: parameterOf('Communication') }),
      pick<Readonly<Record<string, string>>>({}, {}, { 'If-Match': 'W/"1"' }, { Prefer: 'return=minimal' }),
      pick('test', 'copy', 'subject', 'path', 'nothing', 'nothing'),
      anyPatient,
    )
    .map(([[type, id], criteria, headers, kind, subject]): Asked => {
      const reference = `Patient/${subject}`;
      const operations = {
        test: [{ op: 'test', path: '/subject/reference', value: reference }],
        copy: [{ op: 'copy', from: '/subject', path: '/sender' }],
        subject: [{ op: 'replace', path: '/subject', value: { reference } }],
        nothing: [],
      };
      const where = `${type}.where(subject.reference = '${reference}').status`;
      const parts = [
        { name: 'type', valueCode: 'replace' },
        { name: 'path', valueString: where },
        { name: 'value', valueCode: 'stopped' },
      ];
      const body =
        kind === 'path'
          ? { resourceType: 'Parameters', parameter: [{ name: 'operation', part: parts }] }
          : operations[kind];
      const contentType = kind === 'path' ? 'application/fhir+json' : 'application/json-patch+json';
      return {
        method: 'PATCH',
        path: criteria === undefined ? `/${type}/${id}` : `/${type}?${criteria}`,
        headers: { ...headers, 'Content-Type': contentType },
        body: JSON.stringify(body),
      };
    });

/** What is about the whole partition or a whole type. */
const whole = fc
  .tuple(pick('GET', 'POST'), pick('/', '/_search', '/_history', '/$export', '/Patient/_history', '/metadata'))
  .map(([method, path]): Asked => ({ method, path, headers: {}, body: undefined }));

/** `$validate`, where it is served: of what is here, of what would take its place, and of what would be created. */
const validated = ['Patient', 'Condition', 'Communication'];
const validate = (target: fc.Arbitrary<Target>) =>
  fc
    .tuple(
      target,
      pick('GET', 'POST of type', 'POST'),
      pick('', '', '?mode=create', '?mode=update', '?mode=delete', '?mode=profile'),
      anyPatient,
    )
    .map(([[type, id], method, query, subject]): Asked => {
      if (method === 'GET') return { method, path: `/${type}/${id}/$validate${query}`, headers: {}, body: undefined };
      const more = type === 'Patient' ? {} : { subject: { reference: `Patient/${subject}` } };
      const body = JSON.stringify({ resourceType: type, id, status: 'completed', ...more });
      const path = method === 'POST' ? `/${type}/${id}/$validate${query}` : `/${type}/$validate${query}`;
      return { method: 'POST', path, headers: { 'Content-Type': 'application/fhir+json' }, body };
    });

const createHeaders = fc.oneof(
  pick<Readonly<Record<string, string>>>({}, { Prefer: 'return=minimal' }, { Prefer: 'return=OperationOutcome' }),
  pick('k1', 'k2').map((key): Readonly<Record<string, string>> => ({ 'Idempotency-Key': key })),
  fc
    .oneof(anyParameter, ...[1, 2].map(() => parameterOf('Communication')))
    .map((criteria): Readonly<Record<string, string>> => ({ 'If-None-Exist': criteria })),
);
/** Of the types that can be created. */
const create = (created: readonly string[]) =>
  fc
    .record({
      type: pick(...created),
      subject: anyPatient,
      about: fc.option(fc.tuple(pick(...types), pick(...ids)), { nil: undefined, freq: 1 }),
      client: pick('c1', 'c2'),
      headers: createHeaders,
    })
    .map(({ type, subject, about, client, headers }): Asked => {
      const others = about === undefined ? [] : [{ reference: `${about[0]}/${about[1].replace('%2f', '')}` }];
      const other = others.length === 0 ? {} : { [type === 'Media' ? 'partOf' : 'about']: others };
      const shared = {
        resourceType: type,
        status: 'completed',
        subject: { reference: `Patient/${subject}` },
        ...other,
      };
      const own =
        type === 'Media'
          ? { content: { contentType: 'image/gif', data: gif } }
          : { identifier: [{ system: 'urn:client', value: client }] };
      const all = { 'Content-Type': 'application/fhir+json', ...headers };
      return { method: 'POST', path: `/${type}`, headers: all, body: JSON.stringify({ ...shared, ...own }) };
    });
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Chains, `_has`, filters and includes that each type offers in the fixture `guarded`. */
const ofPatient = [
  'patient.name=roy',
  'patient.gender=male',
  'patient.gender:not=male',
  'patient._has:Condition:patient:code=b',
  'patient:Patient._has:Communication:subject:status=completed',
  '_filter=patient.family%20ne%20smith',
  '_filter=not(patient[gender%20eq%20male].name%20ew%20oy)',
  '_include=*',
  '_include:iterate=*&_revinclude:iterate=*',
];
const lists = ['_list=lis0', '_list=lis1,lis2', '_list=lis0,lis1,lis2,lis3'];
const nearby = ['near=43.1|-79|12|km', 'near=43|-79|25', 'near=43.2|-79'];
const places = [':below=loc0', ':above=loc1,loc2'];
const hierarchy = [':below=enc0', ':above=enc1', ':below=Encounter/enc2,enc3', ':above=enc0,enc3'];
const joined: Readonly<Record<string, readonly string[]>> = {
  Patient: [
    ...lists,
    '_has:Condition:patient:_list=lis0,lis1,lis2,lis3',
    '_has:Condition:patient:code=b',
    '_has:Observation:patient:category=a',
    '_has:Encounter:patient:status=finished',
    '_has:Communication:recipient:status=completed',
    '_has:Communication:recipient:subject:Patient.gender=male',
    '_filter=not(_has:Condition:patient:code%20ne%20b)',
    '_filter=family%20ew%20y%20or%20_has:Communication:subject:status%20eq%20completed',
    '_revinclude=*',
    '_revinclude=Condition:patient',
    '_revinclude=Communication:recipient',
    '_revinclude:iterate=*',
  ],
  Condition: [
    ...ofPatient,
    ...lists,
    '_query=problems-of&code=a',
    '_query=problems-of&code=b&gender=female',
    'patient._list=lis0,lis1,lis2,lis3',
    ...hierarchy.map(rest => `encounter${rest}`),
  ],
  Observation: [...ofPatient, ...lists],
  Appointment: ofPatient.slice(0, 6),
  Encounter: [
    ...ofPatient,
    ...hierarchy.map(rest => `part-of${rest}`),
    ...places.map(rest => `location${rest}`),
    ...nearby.map(one => `location.${one}`),
    'appointment.status=booked',
    '_include=Encounter:patient',
  ],
  Location: [...nearby, 'partof:below=loc0', '_has:Encounter:location:patient=p1'],
  Communication: [
    ...lists,
    'recipient:Patient.gender=female',
    'recipient:Patient.name=roy',
    'recipient:Patient._has:Condition:patient:code=b',
    '_include=Communication:recipient',
    '_include=*',
    '_include=Communication:recipient&_revinclude:iterate=Condition:patient',
  ],
};

/** Searches over records of several types. */
export const anyJoined: fc.Arbitrary<readonly Asked[]> = searchesOf(joined);

/** Full-text searches, and their scores. */
const words = ['pain', '"chest pain"', 'pain chest', 'che*', 'pain,nothing', '"in the ch*"', 'nothing', 'p1', 'dr'];
const worded = words.flatMap(value => {
  const text = encodeURIComponent(value);
  return [`_text=${text}`, `_content=${text}`, `_text=${text}&_sort=-_score,_id`, `_content=${text}&_sort=_score`];
});
export const anyWorded: fc.Arbitrary<readonly Asked[]> = searchesOf({
  Patient: [
    ...worded,
    '_text=pain&_revinclude=*',
    'name:text=roy',
    'name:text=ro*',
    '_has:Condition:patient:_text=%22chest%20pain%22',
  ],
  Condition: [
    ...worded,
    '_content=pain&_include=*',
    '_content=pain&_include=*',
    'patient._text=pain',
    'patient._content=dr',
    'patient.name:text=roy',
    '_text:missing=true',
  ],
  Communication: [
    ...worded,
    '_filter=_text%20co%20chest%20or%20status%20eq%20completed',
    'recipient:Patient._text=pain',
  ],
});

/** Searches by the parameters of stored-parameters.ts. */
export const anyStored: fc.Arbitrary<readonly Asked[]> = searchesOf({
  Patient: [
    'called=roy',
    'born:missing=true',
    '_has:Observation:about:kind=a',
    '_has:Condition:about:kind=b',
    '_has:Observation:seen-by:took-place=ge2025',
    '_revinclude=Observation:about',
    '_revinclude=Condition:about',
    '_filter=called%20co%20roy',
    '_sort=called',
  ],
  Observation: [
    'about=Patient/p1',
    'about.called=roy',
    'about:Patient.gender=male',
    'seen-by=Patient/p0',
    'kind=a',
    'kind:not=a',
    'took-place=lt2025',
    '_include=Observation:about',
    '_include=Observation:seen-by',
    'about-kind=Patient/p1$a',
    '_filter=kind%20eq%20a%20or%20about%20eq%20Patient/p2',
    '_sort=-took-place',
  ],
  Condition: [
    'about=Patient/p2',
    'about.called=roy',
    'kind=b',
    '_include=Condition:about',
    'about._has:Observation:about:kind=a',
  ],
});

/** Searches by lists, and by the hierarchy of encounters. */
export const anyListed: fc.Arbitrary<readonly Asked[]> = searchesOf({ Condition: lists, Observation: lists });
export const anyHierarchical: fc.Arbitrary<readonly Asked[]> = searchesOf({
  Condition: hierarchy.map(rest => `encounter${rest}`),
});

/** These are combined with no chain, list or include. */
export const anyContained: fc.Arbitrary<readonly Asked[]> = searchesOf({
  Observation: ['true', 'both'].flatMap(of =>
    ['', '&_containedType=contained'].flatMap(as =>
      ['', '&code=a', '&code:not=a', '&patient=p1'].map(rest => `_contained=${of}${as}${rest}`),
    ),
  ),
});
export const anyNear: fc.Arbitrary<readonly Asked[]> = searchesOf({
  Location: nearby,
  Encounter: nearby.map(one => `location.${one}`),
});

const compartments = ['', '?_count=1', '?_count=2&_type=Condition,Practitioner,List', '?_since=2026-01-01T00:00:00Z'];
/** Operations that return records, or what is in them. */
export const anyOperations: fc.Arbitrary<readonly Asked[]> = fc.array(
  fc
    .oneof(
      fc.tuple(
        anyPatient.map(id => `/Patient/${id}/$everything`),
        pick(...compartments, '?start=2025-01-01', '?end=2024&_type=Observation,Condition'),
      ),
      fc.tuple(pick('/Patient/$everything', '/Encounter/enc0/$everything', '/Encounter/enc1/$everything'), pick('')),
      fc.tuple(pick('/Patient/$everything', '/Encounter/enc2/$everything'), pick(...compartments)),
      fc.tuple(
        pick('/Observation/$lastn'),
        pick('', '?max=2', '?patient=p1', '?max=3&code=a', '?patient.gender=female', '?_include=*&max=2'),
      ),
      fc.tuple(pick('/$meta', '/Condition/$meta', '/Condition/con0/$meta', '/Condition/con1/$meta'), pick('')),
    )
    .map(([path, query]): Asked => ({ method: 'GET', path: `${path}${query}`, headers: {}, body: undefined })),
  { minLength: 20, maxLength: 20 },
);

function searchesOf(searches: typeof joined): fc.Arbitrary<readonly Asked[]> {
  return fc.array(
    pick(...Object.keys(searches)).chain(type =>
      fc
        .tuple(
          fc.uniqueArray(pick(...(searches[type] ?? [])), { minLength: 1, maxLength: 2 }),
          fc.uniqueArray(control, { maxLength: 1 }),
        ) // prettier-ignore
        .map(([parts, controls]): Asked => {
          const query = [...new Set([...parts, ...controls].flatMap(part => part.split('&')))].join('&');
          return { method: 'GET', path: `/${type}?${query}`, headers: {}, body: undefined };
        }),
    ),
    { minLength: 20, maxLength: 20 },
  );
}

/** Parameters that the types have in common which are searched together, with their names in `_type`. */
const together = [
  '_type=Condition,Observation&code=a',
  '_type=Condition,Observation,Encounter&patient=p1',
  '_type=Observation,Condition&patient:Patient.gender=male',
  '_type=Communication,Encounter,Appointment&status:not=booked',
  '_type=Patient,Condition',
  '_type=Patient,Practitioner',
  '_type=Encounter,Nothing',
  '_type=MedicationRequest,Patient&_include=*',
  '_type=Condition,Encounter&_sort=-patient',
  '_type=Communication,Encounter&_sort=status,-_id',
  '_type=Condition&_include=*',
  '_type=Condition,Encounter&_include=Condition:patient',
  '_type=Patient&_revinclude=*',
];
const anyWhole = fc.tuple(
  fc.oneof(
    { weight: 3, arbitrary: pick(...together, ...types.map(type => `_type=${type}`)) },
    { weight: 2, arbitrary: pick('') },
  ),
  fc.oneof(
    { weight: 3, arbitrary: pick('') },
    { weight: 1, arbitrary: anyIds },
    { weight: 1, arbitrary: pick('_lastUpdated=ge2026-01-01') },
  ),
);
const severalControl = control.filter(one => !/_sort=-?(?:date|recorded)/.test(one));

/** Searches of the whole system and of compartments. */
export const anySeveral: fc.Arbitrary<readonly Asked[]> = fc.array(
  fc
    .oneof(
      fc.tuple(
        fc.oneof(
          pick(''),
          anyPatient.map(id => `/Patient/${id}/*`),
        ),
        anyWhole,
      ),
      pick(...Object.keys(offered)).chain(type =>
        fc.tuple(
          anyPatient.map(id => `/Patient/${id}/${type}`),
          fc.tuple(pick('', ...(offered[type] ?? [])), pick('', '_sort=-status', '_sort=code', '_include=*')),
        ),
      ),
    )
    .chain(([path, parts]) =>
      fc.tuple(pick(path), pick(parts), fc.uniqueArray(severalControl, { maxLength: 2 }), fc.boolean()),
    )
    .map(([path, parts, controls, byPost]): Asked => {
      const all = [...parts, ...controls].filter(part => part !== '');
      const sorted = all.some(part => part.includes('_sort=') && !part.startsWith('_sort='));
      const query = all.filter(part => !(sorted && part.startsWith('_sort='))).join('&');
      if (!byPost) return { method: 'GET', path: `${path}?${query}`, headers: {}, body: undefined };
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      return { method: 'POST', path: `${path}/_search`, headers, body: query };
    }),
  { minLength: 20, maxLength: 20 },
);

/** Some requests; `created` are the types that can be created, `there` is what is in the store: most ask for that. */
export function anyRequests(created: readonly string[], there: readonly Target[]): fc.Arbitrary<readonly Asked[]> {
  const target = fc.oneof({ weight: 3, arbitrary: pick(...there) }, { weight: 1, arbitrary: anyTarget });
  const found = there.filter(([type]) => type in offered);
  const searched =
    found.length === 0
      ? pick(...types)
      : fc.oneof(
          pick(...found).map(([type]) => type),
          pick(...types),
        );
  const served = there.filter(([type]) => validated.includes(type));
  const ofValidated = served.length === 0 ? pick<Target>(['Patient', 'p0']) : pick(...served);
  const changed = there.filter(([type]) => type === 'Communication');
  const ofCommunication = fc.oneof(
    { weight: 4, arbitrary: changed.length === 0 ? anyTarget : pick(...changed) },
    { weight: 1, arbitrary: anyTarget },
  );
  return fc.array(
    fc.oneof(
      { weight: 6, arbitrary: search(searched) },
      { weight: 4, arbitrary: read(target) },
      { weight: 4, arbitrary: create(created) },
      { weight: 1, arbitrary: other },
      { weight: 1, arbitrary: whole },
      { weight: 2, arbitrary: validate(ofValidated) },
      { weight: 3, arbitrary: history(target) },
      { weight: 2, arbitrary: change(ofCommunication) },
      { weight: 1, arbitrary: tagged(ofCommunication) },
      { weight: 3, arbitrary: patch(ofCommunication) },
    ),
    { minLength: 20, maxLength: 20 },
  );
}

/** The entry of a transaction that is such a request; those after it may refer to it. */
function entryOf({ method, path, headers, body }: Asked, at: number, link: string | undefined): object {
  const resource = body === undefined ? undefined : (JSON.parse(body) as object);
  const linked = link === undefined ? {} : { about: [{ reference: link }] };
  return {
    ...(resource === undefined ? {} : { fullUrl: `urn:uuid:${at}`, resource: { ...resource, ...linked } }),
    request: {
      method,
      url: path.slice(1),
      ...(headers['If-Match'] === undefined ? {} : { ifMatch: headers['If-Match'] }),
      ...(headers['If-None-Match'] === undefined ? {} : { ifNoneMatch: headers['If-None-Match'] }),
      ...(headers['If-None-Exist'] === undefined ? {} : { ifNoneExist: headers['If-None-Exist'] }),
    },
  };
}

/** Transactions whose entries write and read, and refer to each other and to what criteria find. */
export const anyTransactions: fc.Arbitrary<readonly Asked[]> = fc.array(
  fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 3, arbitrary: create(['Communication']) },
          { weight: 3, arbitrary: change(pick(...ids.map((id): Target => ['Communication', id]))) },
          { weight: 1, arbitrary: read(anyTarget) },
          { weight: 2, arbitrary: search(pick('Communication', 'Patient')) },
        ),
        fc.oneof(
          { weight: 3, arbitrary: pick(undefined) },
          { weight: 1, arbitrary: pick('urn:uuid:0', 'urn:uuid:1') },
          { weight: 2, arbitrary: parameterOf('Communication').map(criteria => `Communication?${criteria}`) },
        ),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts): Asked => {
      const entries = parts
        .filter(([{ body }]) => body === undefined || body.startsWith('{'))
        .map(([asked, link], at) => entryOf(asked, at, link));
      return {
        method: 'POST',
        path: '',
        headers: { 'Content-Type': 'application/fhir+json' },
        body: JSON.stringify({
          resourceType: 'Bundle',
          type: 'transaction',
          ...(entries.length === 0 ? {} : { entry: entries }),
        }),
      };
    }),
  { minLength: 20, maxLength: 20 },
);
