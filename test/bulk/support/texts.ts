// Records and Bundles for a load, as texts.

/** A Patient in NDJSON; `more` are further elements, each after a comma. */
export const patient = (id: string | undefined, more = ''): string =>
  `{"resourceType":"Patient"${id === undefined ? '' : `,"id":"${id}"`}${more}}`;

/** An Observation in NDJSON, with further elements like `patient`. */
export const observation = (id: string, more = ''): string =>
  `{"resourceType":"Observation","id":"${id}","status":"final","code":{"text":"x"}${more}}`;

/** A Bundle of these entries. */
export const bundle = (type: string, ...entries: readonly string[]): string =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entries.join(',')}]}`;

/** An entry that updates or creates a resource. */
export const put = (resource: string, url: string): string =>
  `{"resource":${resource},"request":{"method":"PUT","url":"${url}"}}`;

/** An entry that deletes a resource. */
export const remove = (url: string): string => `{"request":{"method":"DELETE","url":"${url}"}}`;
