import { describe, expect, it } from 'vitest';
import { explainRefusal } from '../../src/smart/provider/provider.ts';

describe('the error that an app gets for a rejected request', () => {
  it.each([
    ['request_not_supported', undefined, /omit 'request'/],
    ['unsupported_response_mode', 'unsupported response_mode requested', /omit 'response_mode'/],
    ['unsupported_response_type', 'requested response_type is not supported', /'response_type' must be 'code'/],
    ['invalid_request', 'not supported value of code_challenge_method', /must be S256/],
    ['invalid_request', 'Authorization Server policy requires PKCE to be used for this request', /'code_challenge'/],
    ['invalid_request', 'code_challenge must be provided with code_challenge_method', /send 'code_challenge'/],
    ['invalid_request', 'code_challenge must be a string', /^The parameter 'code_challenge' must be a string\.$/],
    ['invalid_request', 'unsupported "prompt" value', /^Unsupported 'prompt' value\.$/],
    ['invalid_scope', 'The scope `foo` does not exist here.', /^The scope `foo` does not exist here\.$/],
    ['consent_required', undefined, /^The request cannot be answered: consent_required\.$/],
    ['constructor', undefined, /^The request cannot be answered: constructor\.$/],
  ])('%s, %s', (error, said, expected) => expect(explainRefusal(error, said)).toMatch(expected));
});
