import { split, unescape } from './escape.ts';
import { malformed, type ValueParser } from './value.ts';

/** `:of-type`: an identifier by system and code of its type and its value. https://hl7.org/fhir/R4/search.html#token */
export const parseOfType: ValueParser = value => {
  const [system = '', type = '', code = '', ...more] = split(value.text, '|').map(unescape);
  if (system === '' || type === '' || code === '' || more.length > 0) {
    throw malformed(
      value,
      'write `system|code|value`, the system and the code of the type and the value of the identifier',
    );
  }
  return [
    {
      kind: 'composite',
      of: [
        { kind: 'token', system, code: type },
        { kind: 'token', code },
      ],
    },
  ];
};
