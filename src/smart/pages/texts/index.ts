import type { Language } from '../../../pages/language.ts';
import { en } from './en.ts';
import type { Texts } from './en.ts';
import { fr } from './fr.ts';

export const texts: Readonly<Record<Language, Texts>> = { en, fr };
