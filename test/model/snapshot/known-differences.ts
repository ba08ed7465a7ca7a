/**
 * StructureDefinitions of R4 whose published snapshot says something else than ours, with what is different (`id` of an
 * element, or `id.keyword`) and why ours is right.
 */
export const knownDifferences: readonly {
  readonly ids: readonly string[];
  readonly reason: string;
  readonly differ: RegExp;
}[] = [
  {
    ids: ['canonical', 'code', 'id', 'markdown', 'oid', 'positiveInt', 'unsignedInt', 'url', 'uuid'],
    reason:
      'The published value keeps the type name of its base, though the differential names its own, and ' +
      'drops the limits of its base (of a length, of a number), which hold for what specializes it.',
    differ: /^\w+\.value#(type|maxLength|minValueInteger|maxValueInteger)$/,
  },
  {
    ids: ['xhtml'],
    reason: 'The published one lost the type name that the base gives to `id`.',
    differ: /^xhtml\.id#type$/,
  },
  {
    ids: ['bp'],
    reason:
      'The published one narrows the choices below a component by their short names, and slices others ' +
      'that are written so; ours slices all.',
    differ: /^Observation\.component:(SystolicBP|DiastolicBP)\.value\[x\]/,
  },
  {
    ids: ['cholesterol', 'hdlcholesterol', 'ldlcholesterol'],
    reason:
      'The published one repeats the invariants of Quantity and of the type profile SimpleQuantity, ' +
      'which are checked themselves.',
    differ: /^Observation\.referenceRange\.(low|high)#constraint$/,
  },
  {
    ids: ['elementdefinition-de'],
    reason:
      'The published one copies the elements of the extensions that its slices name, which are checked themselves.',
    differ: /^ElementDefinition\.extension:(Question|AllowedUnits)\./,
  },
  {
    ids: ['catalog', 'familymemberhistory-genetic'],
    reason:
      'Elements that are not sliced have names of slices. The published one keeps the names and ' +
      'drops the elements; ours says the same of the elements.',
    differ:
      /^(Composition\.date|FamilyMemberHistory\.(relationship|sex|born\[x\]|age\[x\]|deceased\[x\]|condition)(?!\w))/,
  },
  {
    ids: ['provenance-relevant-history'],
    reason:
      'The published content reference names a slice that the differential does not mention; and what ' +
      'the differential says of all agents (a binding) is lost in their slice.',
    differ: /^Provenance\.(entity\.agent#contentReference|agent:Author\.type#binding)$/,
  },
];
