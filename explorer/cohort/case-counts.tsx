import type { ComponentChildren } from 'preact'
import { type Cohort, formatAddress, toCohort } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { barChart } from '../parts/bar-chart.ts'
import { Figure } from '../parts/figure.tsx'
import type { ServiceRequest } from '../service/service.ts'
import type { Bucket } from './count.ts'

interface CaseCountsProps {
  readonly title: string
  readonly method: string
  /** Name of what is counted by, such as `Project`. */
  readonly by: string
  readonly request: ServiceRequest
  readonly counts: readonly Bucket[]
  /** Returns the cases that a bar counts. */
  readonly cohortOf: (key: string) => Cohort
  readonly fileName: string
  readonly children?: ComponentChildren
}

/** Shows numbers of cases as bars. Each bar leads to its cases. */
export function CaseCounts(props: CaseCountsProps) {
  const { title, method, by, request, counts, cohortOf, fileName, children } = props
  const { address } = usePlace()
  const hrefOf = (key: string) => formatAddress(toCohort(address, 'cohort', cohortOf(key)))
  const bars = counts.map(({ key, doc_count }) => ({
    name: key,
    value: doc_count,
    href: hrefOf(key),
  }))
  return (
    <Figure
      title={title}
      method={method}
      requests={[request]}
      columns={[
        { title: by, value: ({ key }) => key },
        { title: 'Cases', value: ({ doc_count }) => doc_count },
      ]}
      rows={counts}
      fileName={fileName}
      drawnOf={counts}
      draw={(width) => barChart({ width, label: 'cases', bars })}
    >
      {children}
    </Figure>
  )
}
