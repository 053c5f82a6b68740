/**
 * SEER site recode, ICD-O-3 of 2003, without groups for Kaposi sarcoma and mesothelioma. Columns: group, name,
 * sites, histologies (`not` excludes). The first matching row applies (readTable in table-text.ts).
 */
export const SEER_2003_WITHOUT_KMS = `
20010 | Lip | C000-C009 | not 9590-9989
20020 | Tongue | C019-C029 | not 9590-9989
20030 | Salivary Gland | C079-C089 | not 9590-9989
20040 | Floor of Mouth | C040-C049 | not 9590-9989
20050 | Gum and Other Mouth | C030-C039 C050-C059 C060-C069 | not 9590-9989
20060 | Nasopharynx | C110-C119 | not 9590-9989
20070 | Tonsil | C090-C099 | not 9590-9989
20080 | Oropharynx | C100-C109 | not 9590-9989
20090 | Hypopharynx | C129 C130-C139 | not 9590-9989
20100 | Other Oral Cavity and Pharynx | C140 C142-C148 | not 9590-9989
21010 | Esophagus | C150-C159 | not 9590-9989
21020 | Stomach | C160-C169 | not 9590-9989
21030 | Small Intestine | C170-C179 | not 9590-9989
21041 | Cecum | C180 | not 9590-9989
21042 | Appendix | C181 | not 9590-9989
21043 | Ascending Colon | C182 | not 9590-9989
21044 | Hepatic Flexure | C183 | not 9590-9989
21045 | Transverse Colon | C184 | not 9590-9989
21046 | Splenic Flexure | C185 | not 9590-9989
21047 | Descending Colon | C186 | not 9590-9989
21048 | Sigmoid Colon | C187 | not 9590-9989
21049 | Large Intestine, NOS | C188-C189 C260 | not 9590-9989
21051 | Rectosigmoid Junction | C199 | not 9590-9989
21052 | Rectum | C209 | not 9590-9989
21060 | Anus, Anal Canal and Anorectum | C210-C212 C218 | not 9590-9989
21071 | Liver | C220 | not 9590-9989
21072 | Intrahepatic Bile Duct | C221 | not 9590-9989
21080 | Gallbladder | C239 | not 9590-9989
21090 | Other Biliary | C240-C249 | not 9590-9989
21100 | Pancreas | C250-C259 | not 9590-9989
21110 | Retroperitoneum | C480 | not 9590-9989
21120 | Peritoneum, Omentum and Mesentery | C481-C482 | not 9590-9989
21130 | Other Digestive Organs | C268-C269 C488 | not 9590-9989
22010 | Nose, Nasal Cavity and Middle Ear | C300-C301 C310-C319 | not 9590-9989
22020 | Larynx | C320-C329 | not 9590-9989
22030 | Lung and Bronchus | C340-C349 | not 9590-9989
22050 | Pleura | C384 | not 9590-9989
22060 | Trachea, Mediastinum and Other Respiratory Organs | C339 C381-C383 C388 C390 C398 C399 | not
  9590-9989
23000 | Bones and Joints | C400-C419 | not 9590-9989
24000 | Soft Tissue including Heart | C380 C470-C479 C490-C499 | not 9590-9989
25010 | Melanoma of the Skin | C440-C449 | 8720-8790
25020 | Other Non-Epithelial Skin | C440-C449 | not 8000-8005 8010-8045 8050-8084 8090-8110
  8720-8790 9590-9989
26000 | Breast | C500-C509 | not 9590-9989
27010 | Cervix Uteri | C530-C539 | not 9590-9989
27020 | Corpus Uteri | C540-C549 | not 9590-9989
27030 | Uterus, NOS | C559 | not 9590-9989
27040 | Ovary | C569 | not 9590-9989
27050 | Vagina | C529 | not 9590-9989
27060 | Vulva | C510-C519 | not 9590-9989
27070 | Other Female Genital Organs | C570-C589 | not 9590-9989
28010 | Prostate | C619 | not 9590-9989
28020 | Testis | C620-C629 | not 9590-9989
28030 | Penis | C600-C609 | not 9590-9989
28040 | Other Male Genital Organs | C630-C639 | not 9590-9989
29010 | Urinary Bladder | C670-C679 | not 9590-9989
29020 | Kidney and Renal Pelvis | C649 C659 | not 9590-9989
29030 | Ureter | C669 | not 9590-9989
29040 | Other Urinary Organs | C680-C689 | not 9590-9989
30000 | Eye and Orbit | C690-C699 | not 9590-9989
31010 | Brain | C710-C719 | not 9530-9539 9590-9989
31040 | Cranial Nerves Other Nervous System | C710-C719 | 9530-9539
31040 | Cranial Nerves Other Nervous System | C700-C709 C720-C729 | not 9590-9989
32010 | Thyroid | C739 | not 9590-9989
32020 | Other Endocrine including Thymus | C379 C740-C749 C750-C759 | not 9590-9989
33011 | Hodgkin - Nodal | C024 C098-C099 C111 C142 C379 C422 C770-C779 | 9650-9667
33012 | Hodgkin - Extranodal | not C024 C098-C099 C111 C142 C379 C422 C770-C779 | 9650-9667
33041 | NHL - Nodal | C024 C098-C099 C111 C142 C379 C422 C770-C779 | 9590-9596 9670-9671 9673 9675
  9678-9680 9684 9687 9689-9691 9695 9698-9702 9705 9708-9709 9714-9719 9727-9729 9823 9827
33042 | NHL - Extranodal | not C024 C098-C099 C111 C142 C379 C422 C770-C779 | 9590-9596 9670-9671
  9673 9675 9678-9680 9684 9687 9689-9691 9695 9698-9702 9705 9708-9709 9714-9719 9727-9729
33042 | NHL - Extranodal | not C024 C098-C099 C111 C142 C379 C420-C422 C424 C770-C779 | 9823 9827
34000 | Myeloma | | 9731-9732 9734
35011 | Acute Lymphocytic Leukemia | | 9826 9835-9837
35012 | Chronic Lymphocytic Leukemia | C420 C421 C424 | 9823
35013 | Other Lymphocytic Leukemia | | 9820 9832-9834 9940
35021 | Acute Myeloid Leukemia | | 9840 9861 9866 9867 9871-9874 9895-9897 9910 9920
35031 | Acute Monocytic Leukemia | | 9891
35022 | Chronic Myeloid Leukemia | | 9863 9875 9876 9945 9946
35023 | Other Myeloid/Monocytic Leukemia | | 9860 9930
35041 | Other Acute Leukemia | | 9801 9805 9931
35043 | Aleukemic, subleukemic and NOS | | 9733 9742 9800 9831 9870 9948 9963 9964
35043 | Aleukemic, subleukemic and NOS | C420 C421 C424 | 9827
37000 | Miscellaneous | | 9740-9741 9750-9758 9760-9769 9950 9960-9962 9970 9975 9980 9982-9987 9989
37000 | Miscellaneous | C420-C424 C760-C768 C770-C779 C809 | not 9590-9989
`
