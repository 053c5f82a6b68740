import { EngineError } from '../errors.ts'

export const badInput = (message: string, at: string) =>
  new EngineError('bad_input', message, { at })
