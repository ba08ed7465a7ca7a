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

const note = 'a long note of a visit '.repeat(60);

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
      note: [{ text: note }],
    },
    request: { method: 'POST', url: 'Observation' },
  });
  const patient = { fullUrl, resource, request: { method: 'POST', url: 'Patient' } };
  const entry = [patient, ...Array.from({ length: count }, (_, at) => observation(at))];
  return { resourceType: 'Bundle', type: 'transaction', entry };
}
