import { readFlag, readMembers, readText } from '../../../shared/input/json-members.ts'
import { readCategories } from '../categories.ts'
import type { RegistryPart } from './product.ts'

type GivenPart = Omit<RegistryPart, 'date_modified'>

const readBody = readMembers<{ readonly seer?: GivenPart }>(
  {},
  {
    seer: readMembers<GivenPart>(
      {},
      {
        seer_rx_id: readText,
        categories: readCategories,
        subcategory: readText,
        major_drug_class: readText,
        minor_drug_class: readText,
        orphan_drug: readFlag,
        exclusive_oncologic_agent: readFlag,
      },
    ),
  },
)

/**
 * What the registry is to say of a product; undefined for nothing. All else of the body is left
 * unread: it is the publisher's (registry.md 2.3).
 * @throws EngineError bad_input naming the member
 */
export function parseRegistryPart(body: unknown): GivenPart | undefined {
  const { seer } = readBody(body, '')
  return seer && Object.keys(seer).length > 0 ? seer : undefined
}
