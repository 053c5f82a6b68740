import { EngineError } from '../errors.ts'

/**
 * Returns code and place of the EngineError with which a call fails. For tests.
 * @throws Error if the call succeeds, and any other error of the call
 */
export async function refusal(call: () => unknown): Promise<Pick<EngineError, 'code' | 'at'>> {
  try {
    await call()
  } catch (error) {
    if (error instanceof EngineError) return { code: error.code, at: error.at }
    throw error
  }
  throw new Error('the call was not refused')
}
