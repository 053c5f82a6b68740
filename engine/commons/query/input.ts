import { EngineError } from '../../shared/errors.ts'

export const badInput = (message: string, at: string) =>
  new EngineError('bad_input', message, { at })
