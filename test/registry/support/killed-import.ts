import { Ndc } from '../../../engine/registry/codes/ndc/ndc.ts'
import { openState } from '../../../engine/shared/catalogue/state.ts'

// Imports a table of products into a state and ends as by kill -9 when so many rows are stored.

const [statePath = '', products = '', rows = ''] = process.argv.slice(2)
const ndc = new Ndc({ state: openState(statePath), clock: () => new Date() })
await ndc.import(
  { products },
  {
    user: 'killed',
    onProgress({ phase, done }) {
      if (phase === 'storing' && done >= Number(rows)) process.kill(process.pid, 'SIGKILL')
    },
  },
)
