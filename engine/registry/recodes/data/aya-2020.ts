/**
 * SEER AYA site recode for adolescents and young adults, revision of 2020 (seer.cancer.gov/ayarecode). Columns:
 * group, name, sites, histologies, behaviors. The first matching row applies (readTable in table-text.ts).
 */
export const AYA_2020 = `
001 | 1.1 Acute lymphoblastic leukemia | C000-C809 | 9826 9835-9836 | 3
001 | 1.1 Acute lymphoblastic leukemia | C420-C421 C424 | 9687 9811-9819 9827 9837 | 3
002 | 1.2.1 Acute promyelocytic leukemia | C000-C809 | 9866 | 3
003 | 1.2.2 Other acute myeloid leukemia | C000-C809 | 9840 9861 9865 9867 9869-9874 9877-9879 9891
  9895-9898 9910-9912 9920 9931 | 3
004 | 1.3 Chronic myeloid leukemia | C000-C809 | 9863 9875-9876 9945-9946 | 3
005 | 1.4 Chronic lymphocytic leukemia | C420-C421 C424 | 9823 | 3
006 | 1.5 Polycythemia vera | C000-C809 | 9950 | 3
007 | 1.6 Essential thrombocythemia | C000-C809 | 9962 | 3
008 | 1.7 Primary myelofibrosis | C000-C809 | 9961 | 3
009 | 1.8 Myelodysplastic syndrome (MDS) | C000-C809 | 9980 9982-9989 9991-9993 | 3
010 | 1.9.1 Hairy cell leukemia | C000-C809 | 9940 | 3
011 | 1.9.2 Other lymphocytic/lymphoblastic leukemias | C000-C809 | 9820 9831-9834 9948 | 3
012 | 1.9.3 Other myeloid leukemias | C000-C809 | 9860 9930 9963-9964 | 3
013 | 1.9.4 Leukemias of mixed phenotype | C000-C809 | 9805-9809 | 3
014 | 1.9.5 Mast cell diseases | C000-C809 | 9740-9742 | 3
015 | 1.9.6 Other | C000-C809 | 9800-9801 9960 9965-9968 9975 | 3
016 | 2.1.1 Lymphoblastic | C000-C809 | 9727-9729 | 3
016 | 2.1.1 Lymphoblastic | C000-C419 C422-C423 C440-C809 | 9811-9819 9827 9837 | 3
017 | 2.1.2 Burkitt | C000-C419 C422-C423 C440-C809 | 9687 | 3
018 | 2.1.3 Diffuse large B-cell (DLBCL) | C000-C809 | 9596 9673 9680 9684 9688-9689 9712 9737-9738
  | 3
019 | 2.1.4 Primary mediastinal large B-cell excluded from DLBCL | C000-C809 | 9679 | 3
020 | 2.1.5 Anaplastic T- and null-cell excluding NK/T-cell | C000-C809 | 9700 9702 9705 9708-9709
  9714-9718 | 3
021 | 2.1.6 Follicular | C000-C809 | 9690-9691 9695 9698 | 3
022 | 2.1.7 NK/T-cell (excluded from anaplastic T-cell) | C000-C809 | 9719 | 3
023 | 2.1.8 MALT (mucosa-associated lymphoid tissue) | C000-C809 | 9699 | 3
024 | 2.1.9 Other non-Hodgkin lymphoma NOS | C000-C809 | 9591 9670 9971 | 3
024 | 2.1.9 Other non-Hodgkin lymphoma NOS | C000-C419 C422-C423 C440-C809 | 9823 | 3
025 | 2.2.1 Hodgkin NLP | C000-C809 | 9659 | 3
026 | 2.2.2 Hodgkin classic - other | C000-C809 | 9650-9655 9661-9665 9667 | 3
027 | 2.3 Myeloma | C000-C809 | 9731-9734 | 3
028 | 2.4 Cutaneous lymphomas | C000-C809 | 9597 9701 9725 9726 | 3
029 | 2.5 Other B- and T-cell lymphomas | C000-C809 | 9671 9675 9678 9724 9735 | 3
030 | 2.6.1 Histiocytic and dendritic cell neoplasms | C000-C809 | 9749-9759 | 3
031 | 2.6.2 Lymphoma NOS | C000-C809 | 9590 9760-9762 9764-9769 9970 | 3
032 | 3.1.1.1 Oligodendroglioma - benign/borderline | C000-C809 | 9382 9385 9450-9451 9460 | 0 1
033 | 3.1.1.2 Oligodendroglioma - invasive | C000-C809 | 9382 9385 9450-9451 9460 | 3
034 | 3.1.2.1 Gliofibroma - benign/borderline | C000-C809 | 9440-9442 9445 | 0 1
035 | 3.1.2.2 Glioblastoma - invasive | C000-C809 | 9440-9442 9445 | 3
036 | 3.1.3.1 Ependymoma - benign/borderline | C000-C809 | 9383 9391-9394 9396 | 0 1
037 | 3.1.3.2 Ependymoma - invasive | C000-C809 | 9383 9391-9394 9396 | 3
038 | 3.1.4.1 Pilocytic astrocytoma | C000-C809 | 9421 | 0 1 3
039 | 3.1.4.2 Other astrocytoma/astroglial - benign/borderline | C000-C809 | 9380-9381 9384
  9400-9401 9410-9412 9420 9424-9425 9431-9432 | 0 1
040 | 3.1.4.3 Other astrocytoma/astroglial - invasive | C000-C809 | 9380-9381 9384 9400-9401
  9410-9412 9420 9424-9425 9431-9432 | 3
041 | 3.2 Medulloblastoma and other invasive embryonal CNS tumors | C700-C729 C751-C753 | 8963 9260
  9364-9365 9470-9478 9480 9508 | 3
042 | 3.3.1 Ganglioneuroma - benign/borderline | C700-C729 C751-C753 | 9490 9500 | 0 1
043 | 3.3.2 Neuroblastoma/ganglioneuroblastoma - invasive | C700-C729 C751-C753 | 9490 9500 | 3
044 | 3.4.1 Neuronal and mixed neuronal-glial - benign/borderline | C700-C729 C751-C753 | 8680-8693
  9413 9492-9493 9505-9506 9509 | 0 1
045 | 3.4.2 Neuronal and mixed neuronal-glial - invasive | C700-C729 C751-C753 | 8680-8693 9413
  9492-9493 9505-9506 9509 | 3
046 | 3.5.1 Meningioma - benign/borderline | C000-C809 | 9530-9539 | 0 1
047 | 3.5.2 Meningioma - invasive | C000-C809 | 9530-9539 | 3
048 | 3.6.1 Choroid plexus - benign/borderline | C700-C729 C751-C753 | 9390 | 0 1
049 | 3.6.2 Choroid plexus - invasive | C700-C729 C751-C753 | 9390 | 3
050 | 3.7.1 Craniopharyngioma - benign/borderline | C700-C729 C751-C753 | 9350-9352 | 0 1
051 | 3.7.2 Craniopharyngioma - invasive | C700-C729 C751-C753 | 9350-9352 | 3
052 | 3.8.1 Pituitary - benign/borderline | C700-C729 C752 | 8040 8140 8146 8246 8260 8270-8273
  8280-8281 8290 8300 8310 8323 9582 | 0 1
052 | 3.8.1 Pituitary - benign/borderline | C751 | 8000-8679 8700-8709 8800-8814 8816-9059 9110
  9180-9342 9363-9379 9386-9389 9395 9422 9443 9470-9477 9479-9480 9491 9501-9504 9507 9510-9522
  9572-9993 | 0 1
053 | 3.8.2 Pituitary - invasive | C700-C729 C752 | 8040 8140 8146 8246 8260 8270-8273 8280-8281
  8290 8300 8310 8323 9582 | 3
053 | 3.8.2 Pituitary - invasive | C751 | 8000-8361 8380-8589 8936 8940 8941 9050-9055 9363
  9501-9504 9582 | 3
054 | 3.9.1 Pineal - benign/borderline | C753 | 8000-8679 8700-8709 8800-8814 8816-9059 9110
  9180-9342 9360-9379 9386-9389 9395 9422 9443 9470-9477 9479-9480 9491 9501-9504 9507 9510-9522
  9572-9993 | 0 1
054 | 3.9.1 Pineal - benign/borderline | C700-C729 C751-C752 | 9360-9362 | 0 1
055 | 3.9.2 Pineal - invasive | C753 | 8000-8679 8700-8709 8827 8834 8898 8905 8930-8960 8964-8981
  9020 9050-9055 9110 9360-9363 9395 9491 9501-9504 9507 9510-9514 9582 | 3
055 | 3.9.2 Pineal - invasive | C700-C729 C751-C752 | 9360-9362 | 3
056 | 3.10.1 Other and unspecified CNS - benign/borderline | C700-C729 C752 | 8000-8039 8041-8139
  8141-8145 8147-8245 8247-8259 8261-8265 8311-8322 8324-8679 8700-8709 8800-8814 8816-9059 9110
  9180-9342 9363-9379 9386-9389 9395 9422 9443 9470-9477 9479-9480 9491 9501-9504 9507 9510-9522
  9572-9581 9583-9993 | 0 1
056 | 3.10.1 Other and unspecified CNS - benign/borderline | C700-C729 C751-C753 | 8720-8799 9423
  9430 9444 | 0 1
057 | 3.10.2 Other and unspecified CNS - invasive | C700-C729 C752 | 8000-8005 8935-8936 9050-9055
  9363 9501-9504 | 3
057 | 3.10.2 Other and unspecified CNS - invasive | C000-C809 | 9423 9430 9444 | 3
058 | 4.1 Osteosarcoma | C000-C809 | 9180-9187 9192-9210 | 3
059 | 4.2 Chondrosarcoma | C000-C809 | 9220-9221 9230-9231 9240 9242-9243 | 3
060 | 4.3.1 Bone | C400-C419 | 9260 9364-9365 9473 | 3
061 | 4.3.2 Soft tissue | C000-C399 C420-C699 C730-C750 C754-C809 | 9260 9364-9365 9473 | 3
062 | 4.4.1 Myxofibrosarcoma | C000-C809 | 8811 | 3
063 | 4.4.2 Malignant fibrous histiocytoma$ | C000-C809 | 8830-8831 8835-8836 | 3
064 | 4.4.3 Other fibromatous neoplasms | C000-C809 | 8810 8813-8814 8820-8826 8832-8833 9252 | 3
065 | 4.5 Liposarcoma | C000-C809 | 8850-8881 | 3
066 | 4.6 Synovial sarcoma | C000-C809 | 9040-9043 | 3
067 | 4.7 Leiomyosarcoma | C000-C809 | 8890-8893 | 3
068 | 4.8 Rhabdomyosarcoma | C000-C809 | 8900-8904 8910 8912 8920-8921 | 3
069 | 4.9 Gastrointestinal stromal tumor, malignant | C000-C699 C730-C750 C754-C809 | 8936 | 3
070 | 4.10 Spindle cell sarcoma | C000-C399 C420-C809 | 8801 | 3
071 | 4.11 Epithelioid sarcoma | C000-C809 | 8804 | 3
072 | 4.12 Desmoplastic small round cell tumor | C000-C399 C420-C809 | 8806 | 3
073 | 4.13 Chordoma | C000-C809 | 9370-9379 | 3
074 | 4.14 Giant cell sarcoma | C000-C399 C420-C809 | 8802 | 3
075 | 4.15 Other soft tissue sarcomas | C000-C809 | 8840-8849 8894-8897 8982-8983 8990-8991
  9044-9045 9251 9580-9581 | 3
075 | 4.15 Other soft tissue sarcomas | C000-C699 C730-C750 C754-C809 | 8935 | 3
075 | 4.15 Other soft tissue sarcomas | C000-C399 C420-C809 | 8800 8803 8805 | 3
076 | 4.16 Other bone tumors | C000-C809 | 8812 9250 9261 9270-9342 | 3
076 | 4.16 Other bone tumors | C400-C419 | 8000-8005 8800-8803 8805-8806 | 3
077 | 5.1.1 Hemangioblastoma and tufted hemangioma | C700-C729 C751-C753 | 9161 | 0 1
078 | 5.1.2 Cavernous hemangioma | C700-C729 C751-C753 | 9121 | 0 1
079 | 5.1.3 Other | C700-C729 C751-C753 | 8710-8714 8815 9120 9122-9160 9170-9175 | 0 1
080 | 5.2.1 Kaposi sarcoma | C000-C809 | 9140 | 3
081 | 5.2.2 Other | C000-C809 | 8710-8714 8815 9120-9138 9141-9175 | 3
082 | 6.1.1 Neurilemmoma | C700-C729 C751-C753 | 9560 | 0 1
083 | 6.1.2 Other | C700-C729 C751-C753 | 9540-9550 9561-9571 | 0 1
084 | 6.2.1.1 CNS | C700-C729 C751-C753 | 9540-9542 | 3
085 | 6.2.1.2 Peripheral | C000-C699 C730-C750 C754-C809 | 9540-9542 | 3
086 | 6.2.2 Other | C000-C809 | 9543-9571 | 3
087 | 7.1.1.1 Seminoma | C620-C629 | 9060-9064 | 3
088 | 7.1.1.2 Embryonal carcinoma | C620-C629 | 9070 | 3
089 | 7.1.1.3 Endodermal sinus (yolk sac tumor) | C620-C629 | 9071 | 3
090 | 7.1.1.4 Teratoma | C620-C629 | 9080-9084 | 3
091 | 7.1.1.5 Mixed germ cell | C620-C629 | 9085 9086 | 3
092 | 7.1.1.6 Choriocarcinoma and other trophoblastic | C620-C629 | 9100-9105 | 3
093 | 7.1.1.7 Other | C620-C629 | 9065 9072 | 3
094 | 7.1.2.1 Carcinoma | C620-C629 | 8010-8589 | 3
095 | 7.1.2.2 Sex cord | C620-C629 | 8590-8671 | 3
096 | 7.2.1.1 Teratoma | C569 | 9070 9072-9084 | 3
097 | 7.2.1.2 Dysgerminoma | C569 | 9060 | 3
098 | 7.2.1.3 Yolk sac | C569 | 9071 | 3
099 | 7.2.1.4 Mixed germ cell | C569 | 9085 9086 | 3
100 | 7.2.1.5 Other germ cell and trophoblastic | C569 | 9061-9065 9090-9091 9100-9105 | 3
101 | 7.2.2.1.1.1 Clear cell adenocarcinoma | C569 | 8310 | 3
102 | 7.2.2.1.1.2 Cystadenocarcinoma | C569 | 8440-8474 | 3
103 | 7.2.2.1.1.3 Mixed cell adenocarcinoma | C569 | 8323 | 3
104 | 7.2.2.1.1.4 Mucinous adenocarcinoma | C569 | 8480-8482 | 3
105 | 7.2.2.1.1.5 Endometrioid | C569 | 8380-8383 | 3
106 | 7.2.2.1.1.6 Other adenocarcinoma | C569 | 8140-8231 8250-8309 8311-8322 8324-8379 8384 9110 |
  3
107 | 7.2.2.1.2 Other carcinoma | C569 | 8010-8139 8240-8249 8390-8439 8483-8589 | 3
108 | 7.2.2.2 Sex cord and other specialized gonadal | C569 | 8590-8671 | 3
109 | 7.3 Germ cell and trophoblastic - CNS | C700-C729 C751-C753 | 9060-9065 9070-9073 9080-9085
  9090-9091 9100-9105 | 0 1 3
110 | 7.4 Germ cell and trophoblastic excluding CNS, ovary, testis | C000-C568 C570-C619 C630-C699
  C730-C750 C754-C809 | 9060-9065 9070-9073 9080-9085 9090-9091 9100-9105 | 3
111 | 7.5 Non-germ cell specified tumors excluding CNS, ovary, testis | C000-C559 C570-C619
  C630-C699 C730-C750 C754-C809 | 8590-8671 | 3
112 | 7.6 Fibroepithelial including Brenner excluding breast phyllodes | C000-C809 | 9000-9019
  9021-9030 | 3
113 | 8.1 Superficial spreading/low cumulative sun damage melanoma | C000-C809 | 8743 | 3
114 | 8.2 Nodular melanoma | C000-C809 | 8721 | 3
115 | 8.3 Other malignant | C000-C809 | 8720 8722-8742 8744-8790 | 3
116 | 9.1.1 Medullary | C739 | 8345 8510-8513 | 3
117 | 9.1.2 Hurthle cell carcinoma | C739 | 8290 | 3
118 | 9.1.3 Papillary | C739 | 8050-8053 8260 8341-8344 8503-8507 | 3
119 | 9.1.4 Follicular | C739 | 8330-8335 8339 | 3
120 | 9.1.5 Papillary with follicular variant | C739 | 8340 | 3
121 | 9.1.6 Other | C739 | 8010-8046 8054-8257 8261-8289 8291-8325 8336-8337 8346-8502 8508-8509
  8514-8589 | 3
122 | 9.2.1.1 Nasopharyngeal carcinoma - squamous | C110-C119 | 8050-8089 | 3
123 | 9.2.1.2 Nasopharyngeal carcinoma - other | C110-C119 | 8010-8049 8090-8589 | 3
124 | 9.2.2.1 Oral cavity, lip, and pharynx - squamous | C000-C069 C090-C109 C120-C148 | 8050-8089 |
  3
125 | 9.2.2.2 Oral cavity, lip, and pharynx - mucoepidermoid | C000-C069 C090-C109 C120-C148 |
  8430-8439 | 3
126 | 9.2.2.3 Oral cavity, lip, and pharynx - other | C000-C069 C090-C109 C120-C148 | 8010-8049
  8090-8429 8440-8589 | 3
127 | 9.2.3.1 Salivary gland - acinar | C079-C081 C088-C089 | 8550-8552 | 3
128 | 9.2.3.2 Salivary gland - other malignant | C079-C081 C088-C089 | 8010-8543 8560-8589 | 3
129 | 9.2.4 Other carcinoma of head and neck | C300-C329 C760 | 8010-8589 | 3
130 | 9.3.1 Carcinoma of esophagus | C150-C159 | 8010-8589 | 3
131 | 9.3.2.1.1 Neuroendocrine tumor (NET) | C160-C169 | 8240-8245 8248-8249 | 3
132 | 9.3.2.1.2 Neuroendocrine carcinoma (NEC) | C160-C169 | 8013 8041-8045 8246 | 3
133 | 9.3.2.2 Stomach - signet ring | C160-C169 | 8490 | 3
134 | 9.3.2.3 Stomach - other adenocarcinoma | C160-C169 | 8140-8239 8250-8489 8491-8579 | 3
135 | 9.3.2.4 Stomach - other invasive | C160-C169 | 8010-8012 8014-8040 8046-8139 8247 8580-8589 |
  3
136 | 9.3.3.1.1 NET | C170-C179 | 8240-8245 8248-8249 | 3
137 | 9.3.3.1.2 NEC | C170-C179 | 8013 8041-8045 8246 | 3
138 | 9.3.3.2 Small intestine - other | C170-C179 | 8010-8012 8014-8040 8046-8239 8247 8250-8589 | 3
139 | 9.3.4.1.1 NET | C181 | 8240-8245 8248-8249 | 3
140 | 9.3.4.1.2 NEC | C181 | 8013 8041-8045 8246 | 3
141 | 9.3.4.1.3 Appendix - other | C181 | 8010-8012 8014-8040 8046-8239 8247 8250-8589 | 3
142 | 9.3.4.2.1.1 NET | C180 C182-C189 | 8240-8245 8248-8249 | 3
143 | 9.3.4.2.1.2 NEC | C180 C182-C189 | 8013 8041-8045 8246 | 3
144 | 9.3.4.2.2 Colon excluding appendix - adenocarcinoma | C180 C182-C189 | 8140-8239 8250-8579 | 3
145 | 9.3.4.2.3 Colon excluding appendix - other | C180 C182-C189 | 8010-8012 8014-8040 8046-8139
  8247 8580-8589 | 3
146 | 9.3.5.1.1 NET | C199-C209 | 8240-8245 8248-8249 | 3
147 | 9.3.5.1.2 NEC | C199-C209 | 8013 8041-8045 8246 | 3
148 | 9.3.5.2 Rectum - adenocarcinoma | C199-C209 | 8140-8239 8250-8579 | 3
149 | 9.3.5.3 Rectum - other | C199-C209 | 8010-8012 8014-8040 8046-8139 8247 8580-8589 | 3
150 | 9.3.6.1 Anus - squamous | C210-C218 | 8050-8089 | 3
151 | 9.3.6.2 Anus - other | C210-C218 | 8010-8046 8090-8589 | 3
152 | 9.3.7.1 Liver and IBD - cholangiocarcinoma | C220-C221 | 8160-8169 | 3
153 | 9.3.7.2 Liver and IBD - hepatocellular carcinoma | C220-C221 | 8170-8189 | 3
154 | 9.3.7.3 Liver and IBD - other | C220-C221 | 8010-8159 8190-8589 | 3
155 | 9.3.8 Carcinoma of gallbladder and other extrahepatic biliary | C239-C249 | 8010-8589 | 3
156 | 9.3.9.1.1 NET | C250-C259 | 8150 8240 8249 | 3
157 | 9.3.9.1.2 NEC | C250-C259 | 8013 8041-8045 8246 | 3
158 | 9.3.9.1.3 Neuroendocrine - other | C250-C259 | 8151-8153 8155-8156 8241-8245 8248 | 3
159 | 9.3.9.2 Pancreas - adenocarcinoma | C250-C259 | 8140-8149 8160-8239 8250-8579 | 3
160 | 9.3.9.3 Pancreas - other | C250-C259 | 8010-8012 8014-8040 8046 8050-8139 8154 8157 8247
  8580-8589 | 3
161 | 9.3.10 Other carcinoma of gastrointestinal tract | C260-C269 | 8010-8589 | 3
162 | 9.4.1 Small cell carcinoma - neuroendocrine carcinoma (NEC) | C330-C349 | 8041-8045 | 3
163 | 9.4.2.1 Non-small cell - adenocarcinoma | C330-C349 | 8140-8239 8250-8579 | 3
164 | 9.4.2.2.1 Non-small cell NET | C330-C349 | 8240-8245 8248-8249 | 3
165 | 9.4.2.2.2 Non-small cell NEC | C330-C349 | 8013 8246 | 3
166 | 9.4.2.3 Non-small cell - other | C330-C349 | 8010-8012 8014-8040 8046-8139 8247 8580-8589
  9050-9059 | 3
167 | 9.5 Carcinoma of skin (if collected) | C440-C449 | 8010-8589 | 3
168 | 9.6.1 Breast - infiltrating duct | C500-C509 | 8500 8522-8523 | 3
169 | 9.6.2 Breast - adenocarcinoma | C500-C509 | 8140-8230 8250-8313 8321-8323 8360-8384 8401-8402
  8410-8420 8440-8450 8460-8490 8503-8504 8509 8550-8552 8570-8574 | 3
170 | 9.6.3 Breast - lobular | C500-C509 | 8520 8524 | 3
171 | 9.6.4 Breast - phyllodes | C500-C509 | 9020 | 3
172 | 9.6.5 Breast - medullary | C500-C509 | 8510-8513 | 3
173 | 9.6.6 Breast - Paget | C500-C509 | 8540-8543 | 3
174 | 9.6.7 Breast - ductal | C500-C509 | 8507 8514 8521 | 3
175 | 9.6.8 Breast - metaplastic | C500-C509 | 8575 | 3
176 | 9.6.9 Breast - inflammatory | C500-C509 | 8530 | 3
177 | 9.6.10 Breast - other | C500-C509 | 8010-8131 8231-8249 8314-8320 8324-8350 8390-8400
  8403-8409 8430 8452-8454 8501-8502 8505-8506 8508 8525 8560-8562 8580-8589 | 3
178 | 9.7.1.1 Cervix - squamous | C530-C539 | 8050-8089 | 3
179 | 9.7.1.2 Cervix - adenosquamous | C530-C539 | 8560-8570 | 3
180 | 9.7.1.3 Cervix - adenocarcinoma | C530-C539 | 8140-8559 8571-8579 | 3
181 | 9.7.1.4 Cervix - other | C530-C539 | 8010-8049 8090-8139 8580-8589 | 3
182 | 9.7.2.1.1 Corpus uteri - endometrioid | C540-C559 | 8380-8383 | 3
183 | 9.7.2.1.2 Corpus uteri - other adenocarcinoma | C540-C559 | 8140-8379 8384-8579 | 3
184 | 9.7.2.2 Corpus uteri - other | C540-C559 | 8010-8139 8580-8589 8930-8931 8950 | 3
185 | 9.7.3 Carcinoma of vulva and vagina | C510-C519 C529 | 8010-8589 | 3
186 | 9.7.4 Carcinoma of penis | C600-C609 | 8010-8589 | 3
187 | 9.7.5 Carcinoma of prostate | C619 | 8010-8589 | 3
188 | 9.7.6 Other genital | C570-C579 C589 C630-C639 | 8010-8589 | 3
189 | 9.8.1.1.1 Kidney - renal cell | C649 | 8310-8319 | 3
190 | 9.8.1.1.2 Kidney - other adenocarcinoma | C649 | 8140-8309 8320-8579 | 3
191 | 9.8.1.2 Kidney - other | C649 | 8010-8139 8580-8589 | 3
192 | 9.8.2.1 Urinary bladder - transitional cell carcinoma | C670-C679 | 8120-8139 | 3
193 | 9.8.2.2 Urinary bladder - other carcinoma | C670-C679 | 8010-8119 8140-8589 | 3
194 | 9.8.3 Other urinary | C659 C669 C680-C689 | 8010-8589 | 3
195 | 9.9.1 Adrenocortical carcinoma | C740-C749 | 8010-8589 | 3
196 | 9.9.2 Unknown primary | C809 | 8010-8589 | 3
197 | 9.9.3 Thymic carcinoma | C379 | 8010-8589 | 3
198 | 9.9.4 Carcinoma of other and ill-defined sites | C380-C424 C470-C499 C690-C699 C750 C754-C759
  C761-C808 | 8010-8589 | 3
199 | 10.1.1 Wilms tumor | C000-C699 C730-C750 C754-C809 | 8959-8960 | 3
200 | 10.1.2 Olfactory and other non-CNS neuroblastomas | C000-C699 C730-C750 C754-C809 | 9490 9500
  | 3
200 | 10.1.2 Olfactory and other non-CNS neuroblastomas | C000-C809 | 9520-9522 | 3
201 | 10.1.3 Other neuronal and embryonal non-CNS tumors | C000-C699 C730-C750 C754-C809 | 8963-8964
  8970-8973 8981 9501-9519 9523 | 3
202 | 10.2.1 Paraganglioma - non-CNS | C000-C699 C730-C750 C754-C809 | 8680-8693 8700 | 3
203 | 10.2.2 Other specified neoplasms | C000-C568 C570-C699 C730-C750 C754-C809 | 8932-8934
  8937-8939 8941-8949 8951 8980 9110 | 3
203 | 10.2.2 Other specified neoplasms | C569 | 8932-8934 8937-8939 8941-8949 8951 8980 | 3
203 | 10.2.2 Other specified neoplasms | C000-C329 C350-C699 C730-C750 C754-C809 | 9050-9055 | 3
203 | 10.2.2 Other specified neoplasms | C000-C539 C560-C699 C730-C750 C754-C809 | 8930-8931 8950 |
  3
203 | 10.2.2 Other specified neoplasms | C751 | 8370-8375 | 3
204 | 11. Unspecified malignant neoplasms except CNS | C000-C399 C420-C699 C730-C750 C754-C809 |
  8000-8005 | 3
204 | 11. Unspecified malignant neoplasms except CNS | C000-C699 C730-C750 C754-C809 | 8940 | 3
205 | A.1.1 Superficial spreading melanoma in situ | C000-C809 | 8743 | 2
206 | A.1.2 Lentigo maligna | C000-C809 | 8742 | 2
207 | A.1.3 Other in situ melanoma | C000-C809 | 8720-8741 8744-8790 | 2
208 | A.2 Colon including appendix - in situ | C180-C189 | 8000-8719 8800-9589 | 2
209 | A.3 Rectum - in situ | C199-C209 | 8000-8719 8800-9589 | 2
210 | A.4 Anus - in situ | C210-C218 | 8000-8719 8800-9589 | 2
211 | A.5 Breast - in situ | C500-C509 | 8000-8719 8800-9589 | 2
212 | A.6 Cervix uteri - in situ (not collected by some registries) | C530-C539 | 8000-8719
  8800-9589 | 2
213 | A.7 Ovary - in situ | C569 | 8000-8719 8800-9589 | 2
214 | A.8 Vulva and vagina - in situ | C510-C519 C529 | 8000-8719 8800-9589 | 2
215 | A.9 Penis - in situ | C600-C609 | 8000-8719 8800-9589 | 2
216 | A.10 Prostate in situ including PIN III* | C619 | 8000-8719 8800-9589 | 2
217 | A.11 Urinary bladder - in situ | C670-C679 | 8000-8719 8800-9589 | 2
218 | A.12 Other in situ | C000-C179 C220-C499 C540-C559 C570-C589 C620-C669 C680-C809 | 8000-8719
  8800-9589 | 2
`
