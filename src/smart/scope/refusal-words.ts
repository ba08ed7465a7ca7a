/**
 * The error description of oidc-provider for an app, as a sentence that says what to send instead; `said` is undefined
 * if it has none. Without characters that an `error_description` may not have.
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 */
export function explainRefusal(error: string, said: string | undefined): string {
  const better = byError.get(error) ?? byText.find(([pattern]) => said !== undefined && pattern.test(said))?.[1];
  return better ?? sentence(said ?? `The request cannot be answered: ${error}.`);
}

/** With a capital, except for parameter names, a full stop, and no double quotes. */
export function sentence(text: string): string {
  const quoted = text.replaceAll('"', "'").replace(/^[a-z]+(?:_[a-z]+)+\b/, "The parameter '$&'");
  return `${quoted.slice(0, 1).toUpperCase()}${quoted.slice(1)}${quoted.endsWith('.') ? '' : '.'}`;
}

const byError: ReadonlyMap<string, string> = new Map(
  Object.entries({
    request_not_supported: "Request objects are not supported: omit 'request' and send the parameters themselves.",
    request_uri_not_supported:
      "Request objects are not supported: omit 'request_uri' and send the parameters themselves.",
    registration_not_supported: "Clients are registered by the operator beforehand: omit 'registration'.",
    unsupported_response_mode: "The answer is in the query of the redirect URI: omit 'response_mode'.",
    unsupported_response_type: "The parameter 'response_type' must be 'code'.",
  }),
);

const byText: readonly (readonly [RegExp, string])[] = [
  [
    /requires PKCE|code_challenge must be provided/,
    "PKCE is required: send 'code_challenge', with S256 as 'code_challenge_method'.",
  ],
  [/code_challenge_method/, "The parameter 'code_challenge_method' must be S256."],
];
