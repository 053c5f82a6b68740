import { onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { useTyped } from '../../parts/use-typed.ts'
import { GeneView } from './gene-view.tsx'
import { MutatedView } from './mutated-view.tsx'

/** Page for the most frequently changed genes of the cohort, or for one of them. */
export function GenesPage() {
  const { address, go, change } = usePlace()
  const named = (address.query.get('gene') ?? '').trim()
  const typed = useTyped(named, (gene) => change({ gene }))
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          One gene by symbol or id
          <input placeholder="TP53" {...typed} />
        </label>
        {named !== '' && (
          <button type="button" onClick={() => go((now) => onPage(now, 'genes'))}>
            All genes
          </button>
        )}
      </form>
      {named === '' ? <MutatedView /> : <GeneView key={named} named={named} />}
    </>
  )
}
