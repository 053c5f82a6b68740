import { EngineError } from '../errors.ts'

/** What a call is refused with; fails where it is not refused. */
export async function refusal(call: () => unknown): Promise<Pick<EngineError, 'code' | 'at'>> {
  try {
    await call()
  } catch (error) {
    if (error instanceof EngineError) return { code: error.code, at: error.at }
    throw error
  }
  throw new Error('the call was not refused')
}
