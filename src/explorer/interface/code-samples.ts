import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import type { Visit } from '../shell/visit.ts';
import { texts } from './texts.ts';

/** A request as code to copy: for curl, fetch and fhirclient. `target` is the part of the URL below the base. */
export function codeSamples({ place, language, engine }: Visit, target: string): Html {
  const words = texts[language];
  const samples = samplesOf(place?.base ?? '', target, engine.secured);
  return html`<details class="samples">
    <summary>${words.code}</summary>
    ${samples.map(
      ({ name, text }) =>
        html`<h2 class="sample">${name}</h2>
          <pre
            class="code"
            tabindex="0"
            data-copy="${words.copy}"
            data-copied="${words.copied}"
          ><code>${text}</code></pre>`,
    )}
  </details>`;
}

/** A piece of code and what it is for. */
export interface CodeSample {
  readonly name: string;
  readonly text: string;
}

/** The code that requests the target; with a token if the server needs one. */
export function samplesOf(base: string, target: string, secured: boolean): readonly CodeSample[] {
  const plain = target.replaceAll("'", '%27');
  const url = `${base}/${plain}`;
  const lines = (...all: readonly string[]): string => all.filter(line => line !== '').join('\n');
  const bearer = secured ? `-H "Authorization: Bearer $TOKEN" ` : '';
  return [
    { name: 'curl', text: `curl -H 'Accept: application/fhir+json' ${bearer}'${url}'` },
    {
      name: 'fetch',
      text: lines(
        `const response = await fetch('${url}', {`,
        `  headers: { Accept: 'application/fhir+json'${secured ? ', Authorization: `Bearer ${token}`' : ''} },`,
        '});',
        'const resource = await response.json();',
      ),
    },
    {
      name: 'fhirclient',
      text: lines(
        secured
          ? 'const client = await FHIR.oauth2.ready(); // after FHIR.oauth2.authorize'
          : `const client = FHIR.client('${base}');`,
        `const resource = await client.request('${plain}');`,
      ),
    },
  ];
}
