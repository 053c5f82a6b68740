import { EngineError } from '../shared/errors.ts'

const MAX_CHARACTERS = 10_000

/**
 * Validates an editor's comment.
 * @param at the member or parameter with the comment
 * @throws EngineError `bad_input` if it is too long
 */
export function checkComment(comment: string | undefined, at: 'comment' | 'description'): void {
  if (comment === undefined || comment.length <= MAX_CHARACTERS) return
  const message = `"${at}" is longer than ${MAX_CHARACTERS} characters`
  throw new EngineError('bad_input', message, { at })
}
