import type { Language } from '../../pages/language.ts';

/** The texts of the pages of a record. */
export interface RecordTexts {
  readonly yes: string;
  readonly no: string;
  readonly narrative: string;
  readonly narrativeRejected: string;
  readonly narrativeTooLong: string;
  readonly picture: (name: string) => string;
  readonly file: (type: string, size: string) => string;
  readonly contained: string;
  readonly from: (start: string) => string;
  readonly until: (end: string) => string;
  readonly rest: string;
  readonly more: (count: number) => string;
  readonly unknownProperty: string;
  readonly otherFindings: string;
  readonly noFindings: string;
  readonly findings: (count: number) => string;
  readonly severities: Readonly<Record<'fatal' | 'error' | 'warning' | 'information', string>>;
  readonly version: string;
  readonly versions: string;
  readonly older: string;
  readonly changed: string;
  readonly change: string;
  readonly changes: Readonly<Record<'POST' | 'PUT' | 'PATCH' | 'DELETE', string>>;
  readonly current: string;
  readonly noTime: string;
  readonly sheet: string;
  readonly check: string;
  readonly overview: string;
  readonly tabs: string;
  readonly oldVersion: (version: string) => string;
  readonly list: string;
  readonly json: string;
  readonly cut: string;
  readonly xml: string;
  readonly cutXml: string;
  readonly notInXml: string;
}

/** By language. */
export const recordTexts: Readonly<Record<Language, RecordTexts>> = {
  en: {
    yes: 'Yes',
    no: 'No',
    narrative: 'Narrative',
    narrativeRejected: 'The narrative of this record is not valid and is not shown.',
    narrativeTooLong: 'The narrative is too long for this page; the JSON of the record has it.',
    picture: name => `Picture: ${name}`,
    file: (type, size) => (size === '' ? type : `${type}, ${size}`),
    contained: 'Contained in this record',
    from: start => `from ${start}`,
    until: end => `until ${end}`,
    rest: 'the JSON of the record has the rest',
    more: count => `${count} more; the JSON of the record has them`,
    unknownProperty: 'Not defined by R4',
    otherFindings: 'Findings on the whole record',
    noFindings: 'Validation found no issues.',
    findings: count => (count === 1 ? 'Validation found one issue.' : `Validation found ${count} issues.`),
    severities: { fatal: 'Fatal:', error: 'Error:', warning: 'Warning:', information: 'Note:' },
    version: 'Version',
    versions: 'Versions',
    older: 'Older versions',
    changed: 'Changed',
    change: 'Change',
    changes: { POST: 'Created', PUT: 'Updated', PATCH: 'Updated', DELETE: 'Deleted' },
    current: 'current',
    noTime: 'unknown',
    sheet: 'Record',
    check: 'Validation',
    overview: 'Overview',
    tabs: 'Views of the record',
    oldVersion: version => `This is version ${version}, as it was stored.`,
    list: 'List',
    json: 'JSON',
    cut: 'The page shows the beginning; request application/fhir+json for all of it.',
    xml: 'XML',
    cutXml: 'The page shows the beginning; request application/fhir+xml for all of it.',
    notInXml: 'XML cannot have all of this:',
  },
  fr: {
    yes: 'Oui',
    no: 'Non',
    narrative: 'Texte affiché',
    narrativeRejected: 'Le texte affiché de ce dossier n’est pas valide et n’est pas montré.',
    narrativeTooLong: 'Le texte affiché est trop long pour cette page; le JSON du dossier le contient.',
    picture: name => `Image\u00a0: ${name}`,
    file: (type, size) => (size === '' ? type : `${type}, ${size}`),
    contained: 'Inclus dans ce dossier',
    from: start => `à partir du ${start}`,
    until: end => `jusqu’au ${end}`,
    rest: 'le JSON du dossier contient la suite',
    more: count => `${count} de plus; le JSON du dossier les contient`,
    unknownProperty: 'Non défini par R4',
    otherFindings: 'Constats sur l’ensemble du dossier',
    noFindings: 'La validation n’a trouvé aucun problème.',
    findings: count =>
      count === 1 ? 'La validation a trouvé un problème.' : `La validation a trouvé ${count} problèmes.`,
    severities: {
      fatal: 'Fatal\u00a0:',
      error: 'Erreur\u00a0:',
      warning: 'Avertissement\u00a0:',
      information: 'Remarque\u00a0:',
    },
    version: 'Version',
    versions: 'Versions',
    older: 'Versions plus anciennes',
    changed: 'Modification',
    change: 'Opération',
    changes: { POST: 'Création', PUT: 'Mise à jour', PATCH: 'Mise à jour', DELETE: 'Suppression' },
    current: 'actuelle',
    noTime: 'inconnue',
    sheet: 'Dossier',
    check: 'Validation',
    overview: 'Aperçu',
    tabs: 'Vues du dossier',
    oldVersion: version => `Voici la version ${version}, telle qu’elle a été enregistrée.`,
    list: 'Liste',
    json: 'JSON',
    cut: 'La page montre le début; demandez application/fhir+json pour tout le contenu.',
    xml: 'XML',
    cutXml: 'La page montre le début; demandez application/fhir+xml pour tout le contenu.',
    notInXml: 'XML ne peut pas tout contenir :',
  },
};
