import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';

/** The hidden field with the CSRF token of a form. */
export const tokenField = ({ token }: { readonly token: string }): Html =>
  html`<input type="hidden" name="token" value="${token}" />`;
