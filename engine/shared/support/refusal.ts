import { EngineError } from '../errors.ts'

/** Returns the error with which a call fails. Fails if the call succeeds. */
export async function refusal(call: () => unknown): Promise<Pick<EngineError, 'code' | 'at'>> {
  try {
    await call()
  } catch (error) {
    if (error instanceof EngineError) return { code: error.code, at: error.at }
    throw error
  }
  throw new Error('the call was not refused')
}
