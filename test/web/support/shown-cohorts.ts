// Cohorts and other inputs for tests of the explorer.

export const LUNG = JSON.stringify({
  op: 'in',
  content: { field: 'primary_site', value: ['bronchus and lung'] },
})
export const LUNG_COHORT = `cohort=${encodeURIComponent(`Lung:${LUNG}`)}`
const STAGED = 'algorithm=demo&version=1.0&in.site=C182&in.hist=8140&in.year_dx=2023&in.depth=B2'
export const TUMOURS = `tumours=${encodeURIComponent('C504,8500,3,1,2019,,;C501,8520,3,2,2021,,')}`

export const STAGING = `#/staging?${STAGED}&in.size=035&in.nodes_pos=02`

export const WOMEN = JSON.stringify({
  op: 'in',
  content: { field: 'demographic.gender', value: ['female'] },
})
export const TWO = `cohort=${encodeURIComponent(`Women:${WOMEN}`)}&${LUNG_COHORT}`
