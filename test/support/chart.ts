/** An entry of a transaction. */
interface Entry {
  readonly fullUrl?: string;
  readonly resource: object;
  readonly request: object;
}

interface Chart {
  readonly resourceType: 'Bundle';
  readonly type: 'transaction';
  readonly entry: readonly Entry[];
}

/** A text of 1.3 KB whose words differ from record to record. */
const note = (at: number): string =>
  Array.from({ length: 220 }, (_, word) => ((at * 7_919 + word * 104_729) % 1_679_616).toString(36)).join(' ');

/** A chart as a transaction: a patient, and observations of about 2 KB that refer to it. */
export function chart(name: string, count: number): Chart {
  const fullUrl = `urn:uuid:${name}`;
  const resource = { resourceType: 'Patient', name: [{ family: name }] };
  const observation = (at: number): Entry => ({
    resource: {
      resourceType: 'Observation',
      status: 'final',
      code: { text: `${at}` },
      identifier: [{ system: 'urn:x', value: `${name}-${at}` }],
      subject: { reference: fullUrl },
      note: [{ text: note(at) }],
    },
    request: { method: 'POST', url: 'Observation' },
  });
  const patient = { fullUrl, resource, request: { method: 'POST', url: 'Patient' } };
  const entry = [patient, ...Array.from({ length: count }, (_, at) => observation(at))];
  return { resourceType: 'Bundle', type: 'transaction', entry };
}
