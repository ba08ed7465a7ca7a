import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/model/implemented.ts';
import { declared, loadOnly, statement } from '../../support/definition-files.ts';

// A mistake in the declaration of a type stops a start, which names the file, the path in it, and what to write.

const group = (fields: object = {}) => declared('Group', fields);
const official = 'http://hl7.org/fhir/SearchParameter/';
const at = 'rest[0].resource[0]';
const base = 'https://clinical-records.example/fhir/StructureDefinition/';
const served = [...operations.keys()].map(code => `\`$${code}\``).join(', ');
const operation = (name: string): string => `http://hl7.org/fhir/OperationDefinition/${name}`;

describe('a CapabilityStatement is refused', () => {
  it.each<[string, object, [path: string, text: string][]]>([
    [
      'with a type that does not exist',
      { type: 'Pratitioner' },
      [[`${at}.type`, '`Pratitioner` is not a resource type of FHIR R4. Did you mean `Practitioner`?']],
    ],
    [
      'with an abstract type',
      { type: 'DomainResource' },
      [[`${at}.type`, '`DomainResource` is not a resource type of FHIR R4.']],
    ],
    [
      'with an element that does not exist',
      group({ searchParams: [] }),
      [[`${at}.searchParams`, expect.stringContaining('Did you mean `searchParam`?')]],
    ],
    [
      'with an interaction that does not exist',
      group({ interaction: [{ code: 'search' }] }),
      [
        [
          `${at}.interaction[0].code`,
          expect.stringMatching(/^`search` is not an interaction of a type\. They are `read`, /),
        ],
      ],
    ],
    [
      'with a parameter that is not loaded',
      group({ searchParam: [{ name: 'code', definition: `${official}Group-cod`, type: 'token' }] }),
      [
        [
          `${at}.searchParam[0].definition`,
          `No SearchParameter \`${official}Group-cod\` is loaded. Did you mean \`Group-code\`?`,
        ],
      ],
    ],
    [
      'with a parameter of another type',
      group({ searchParam: [{ name: 'active', definition: `${official}Patient-active`, type: 'token' }] }),
      [[`${at}.searchParam[0].definition`, `\`${official}Patient-active\` is a parameter of Patient, not of Group.`]],
    ],
    [
      'with a parameter under another name',
      group({ searchParam: [{ name: 'kode', definition: `${official}Group-code`, type: 'token' }] }),
      [[`${at}.searchParam[0].name`, 'The parameter is called `code` by its definition, not `kode`.']],
    ],
    [
      'with a parameter of another search type',
      group({ searchParam: [{ name: 'code', definition: `${official}Group-code`, type: 'string' }] }),
      [[`${at}.searchParam[0].type`, 'The parameter `code` is of type token by its definition, not "string".']],
    ],
    [
      'with an unknown parameter without definition',
      group({ searchParam: [{ name: 'cod', type: 'token' }] }),
      [[`${at}.searchParam[0].name`, 'No SearchParameter `cod` of Group is loaded. Did you mean `code`?']],
    ],
    [
      'with a parameter that steers the answer',
      group({ searchParam: [{ name: '_count', type: 'number' }] }),
      [
        [
          `${at}.searchParam[0].name`,
          '`_count` is not a search parameter but controls the answer; remove the declaration.',
        ],
      ],
    ],
    [
      'with a parameter but no search',
      group({ interaction: [{ code: 'read' }], searchParam: [{ name: 'code', type: 'token' }] }),
      [[`${at}.searchParam[0]`, 'Group declares no `search-type`, so it can offer no parameter.']],
    ],
    [
      'with a profile that is not loaded',
      group({ supportedProfile: ['https://example.org/StructureDefinition/actualgrup'] }),
      [
        [
          `${at}.supportedProfile[0]`,
          'No StructureDefinition `https://example.org/StructureDefinition/actualgrup` is loaded. Did you ' +
            'mean `actualgroup`?',
        ],
      ],
    ],
    [
      'with a profile of another type',
      group({ profile: 'http://hl7.org/fhir/StructureDefinition/Patient' }),
      [[`${at}.profile`, '`http://hl7.org/fhir/StructureDefinition/Patient` is a profile of Patient, not of Group.']],
    ],
    [
      'with a version of a profile that is not loaded',
      group({ profile: 'http://hl7.org/fhir/StructureDefinition/Group|9' }),
      [
        [
          `${at}.profile`,
          'No StructureDefinition `http://hl7.org/fhir/StructureDefinition/Group|9` is loaded. Did you mean `Group`?',
        ],
      ],
    ],
    [
      'with an operation that is not loaded',
      group({ operation: [{ name: 'validate', definition: operation('Resource-valid') }] }),
      [
        [
          `${at}.operation[0].definition`,
          `No OperationDefinition \`${operation('Resource-valid')}\` is loaded. Did you mean ` +
            `\`${operation('Resource-validate')}\`?`,
        ],
      ],
    ],
    [
      'with an operation by another name',
      group({ operation: [{ name: 'check', definition: operation('Resource-validate') }] }),
      [[`${at}.operation[0].name`, 'The operation is called `validate` by its definition, not `check`.']],
    ],
    [
      'with an operation of another type',
      group({ operation: [{ name: 'match', definition: operation('Patient-match') }] }),
      [
        [
          `${at}.operation[0].definition`,
          `\`${operation('Patient-match')}\` is an operation of Patient, not of Group.`,
        ],
        [
          `${at}.operation[0].definition`,
          `The operation \`$match\` is not served yet; remove it. ${served} are served.`,
        ],
      ],
    ],
    [
      'with an operation that needs search parameters',
      {
        type: 'Observation',
        interaction: [{ code: 'search-type' }],
        operation: [{ name: 'lastn', definition: operation('Observation-lastn') }],
      },
      [
        [`${at}.operation[0].definition`, '`$lastn` needs the search parameter `code`; declare it on the type.'],
        [`${at}.operation[0].definition`, '`$lastn` needs the search parameter `date`; declare it on the type.'],
      ],
    ],
    [
      'with an operation that needs a compartment',
      group({ operation: [{ name: 'everything', definition: operation('Group-everything') }] }),
      [
        [
          `${at}.operation[0].definition`,
          '`$everything` needs the CompartmentDefinition of Group, which is not loaded.',
        ],
      ],
    ],
    [
      'with includes that lead nowhere',
      group({ searchInclude: ['Group', 'Grup:member', 'Group:membre'], searchRevInclude: ['Group:code:Patient'] }),
      [
        [
          `${at}.searchInclude[0]`,
          '`Group` is not valid; expected `Type:parameter`, `Type:parameter:target`, `Type:*` or `*`.',
        ],
        [`${at}.searchInclude[1]`, '`Grup:member`: Grup is not declared. Did you mean `Group`?'],
        [`${at}.searchInclude[2]`, '`Group:membre`: Group offers no reference parameter `membre`.'],
        [`${at}.searchRevInclude[0]`, '`Group:code:Patient`: Group offers no reference parameter `code`.'],
      ],
    ],
    [
      'with sort indexes of parameters that it does not offer, or that have no order',
      group({
        extension: ['cod', 'characteristic-value'].map(valueCode => ({ url: `${base}sort-index`, valueCode })),
        searchParam: [
          { name: 'code', type: 'token' },
          { name: 'characteristic-value', type: 'composite' },
        ],
      }),
      [
        [`${at}.extension[0].valueCode`, 'Group offers no parameter `cod`. Did you mean `code`?'],
        [
          `${at}.extension[1].valueCode`,
          'The parameter `characteristic-value` is of type composite, by which nothing can be sorted.',
        ],
      ],
    ],
    [
      'with a search feature that does not exist',
      group({ extension: [{ url: `${base}search-feature`, valueCode: 'chains' }] }),
      [
        [
          `${at}.extension[0].valueCode`,
          'The extension `search-feature` has `chains`; expected ' +
            '`chain`, `has`, `filter`, `score` or `contained`.',
        ],
      ],
    ],
    [
      'with a modifier that its parameter cannot have',
      group({
        extension: [{ url: `${base}search-modifier`, valueCode: 'of-type' }],
        searchParam: [
          { name: 'code', type: 'token', extension: [{ url: `${base}search-modifier`, valueCode: 'ofType' }] },
          { name: 'member', type: 'reference', extension: [{ url: `${base}search-modifier`, valueCode: 'text' }] },
        ],
      }),
      [
        [
          `${at}.extension[0].valueCode`,
          'The extension `search-modifier` has `of-type`; expected ' +
            '`text`, `ofType`, `in`, `not-in`, `type`, `identifier`, `above` or `below`.',
        ],
        [
          `${at}.searchParam[0].extension[0].valueCode`,
          'The parameter `code` of type token cannot have the modifier `ofType`. It can have ' +
            '`text`, `in`, `not-in`, `above`, `below`.',
        ],
        [
          `${at}.searchParam[1].extension[0].valueCode`,
          'The parameter `member` of type reference cannot have the modifier `text`. It can have `type`, `identifier`.',
        ],
      ],
    ],
  ])('%s', async (_what, resource, expected) => {
    const { model, problems } = await loadOnly(statement([resource]));
    expect(problems).toEqual(expected.map(([path, text]) => ({ file: 'capability/ours.json', path, text })));
    expect(model).toBeUndefined();
  });
});
