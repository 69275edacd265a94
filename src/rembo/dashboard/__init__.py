"""Studies to look at: a page that is live while they run (`rembo dashboard`), and one in a file (`rembo report`).

Above `plot`, whose pictures are the charts. `catalogue` says which studies there are and `snapshots` what they hold,
read without ever writing; `facts` and `charts` what is shown of that, `belief` what must be computed first; `pages`
makes HTML of it, by `html`, where all text is escaped. `server` sends it to browsers (extra `dashboard`), `report` to a
file.
"""
