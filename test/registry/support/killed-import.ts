import { Ndc } from '../../../engine/registry/codes/ndc/ndc.ts'
import { sharedState } from '../../../engine/shared-state.ts'

// Imports a table of products into a data folder, and ends as by kill -9 when the given number of rows is stored.

const [dataFolder = '', products = '', rows = ''] = process.argv.slice(2)
const ndc = new Ndc({ state: sharedState({ dataFolder }), clock: () => new Date() })
await ndc.import(
  { products },
  {
    user: 'killed',
    onProgress({ phase, done }) {
      if (phase === 'storing' && done >= Number(rows)) process.kill(process.pid, 'SIGKILL')
    },
  },
)
