import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Has the whole heap of this thread collected now. */
export const collectGarbage = runInNewContext('gc') as () => void
