import { fields } from '../compose.ts'

export const center = fields({
  keyword: 'center_id center_type namespace short_name',
  exact: 'code name',
})

export const tissueSourceSite = fields({
  keyword: 'bcr_id tissue_source_site_id',
  exact: 'code name project',
})
