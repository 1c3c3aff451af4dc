exec(open('t.py').read().split("n=200")[0])
from collections import Counter
def sets(x,k):
    d=len(x); l1=np.abs(x).sum(); 
    s={'none':x,'nonneg':np.abs(x),'box:-4,4':x,'linf:4':x,'l1:%r'%float(l1):x,'l1:%r'%float(10*l1):x,'l2:%r'%float(np.linalg.norm(x)*1.5):x,'simplex:%r'%float(l1):np.abs(x),'capped-simplex:%r'%float(l1+1):np.abs(x),'group:%r:2'%float(3*l1):x,'tv:%r'%float(np.abs(np.diff(x)).sum()):x,'monotone':np.sort(x),'l1@dct:99':None}
    return s
tot=Counter()
for seed in range(3):
  rng=np.random.default_rng(seed)
  for (n,d) in ((30,6),(300,12)):
    A=rng.integers(-5,6,(n,d)).astype(float)
    x=rng.integers(-3,4,d).astype(float)
    for spec,xk in sets(x,1).items():
      if xk is None: continue
      for eps in (0,1e-16,1e-15,1e-14,1e-13,1e-12,1e-11,1e-10,1e-9,1e-8):
        y=A@xk
        y=y+eps*np.linalg.norm(y)/np.sqrt(n)*rng.normal(size=n)
        j,xx=solve(A,y,'--set',spec)
        if j is None: continue
        tot[(eps,j['status'])]+=1
        if j['status']!='solved': print(n,d,spec,eps,j['status'],j['passes'],j['objective']/np.linalg.norm(y)**2,j['gap']/j['objective'],j['warning'])
for t in sorted(tot): print(t,tot[t])
