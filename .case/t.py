import numpy as np, subprocess, json, sys
G='/tmp/wt/words/build/release/gpis'
rng=np.random.default_rng(0)
def solve(A,y,*opts):
    np.save('A.npy',A); np.save('y.npy',y)
    r=subprocess.run([G,'solve','A.npy','y.npy','--json','--out','x.npy',*opts],capture_output=True,text=True)
    if not r.stdout: print(r.stderr); return None,None
    return json.loads(r.stdout), np.load('x.npy')
def case(name,A,y):
    j,x=solve(A,y)
    if j is None: return
    ref,_,rank,_=np.linalg.lstsq(A,y,rcond=None)
    print(f"{name:20s} rank {rank}/{A.shape[1]} {j['status']} passes {j['passes']} unique {j['unique']} relerr {np.linalg.norm(x-ref)/np.linalg.norm(ref):.1e} norm {np.linalg.norm(x)-np.linalg.norm(ref):.1e} be {j['backward_error']:.0e} | {j['unique_reason']} | {j['warning']}")
n=200
B=rng.normal(size=(n,6)); y=rng.normal(size=n)
case('plain',B,y)
case('dup',np.c_[B,B[:,1],2*B[:,2]],y)
lev=rng.integers(0,4,n); lev2=rng.integers(0,3,n)
D=np.c_[np.ones(n),np.eye(4)[lev],np.eye(3)[lev2]]
case('dummies',np.c_[D,B],y)
case('zero',np.c_[B,np.zeros(n)],y)
case('wide',rng.normal(size=(20,50)),rng.normal(size=20))
case('wide100',rng.normal(size=(20,150)),rng.normal(size=20))
case('wide rank def',rng.normal(size=(20,10))@rng.normal(size=(10,50)),rng.normal(size=20))
km=np.round(rng.uniform(0,100,n),3); case('units',np.c_[B,km,km*0.3048],y)
case('units k2',np.c_[B,km,km*0.3048],rng.normal(size=(n,2)))
case('dup k3',np.c_[B,B[:,1],B[:,0]+B[:,2]],rng.normal(size=(n,3)))
case('sum float',np.c_[B,B[:,0]+B[:,1]*0.3],y)
case('wide k2',rng.normal(size=(20,50)),rng.normal(size=(20,2)))
case('dup scaled',np.c_[B,B[:,1]*1024,B[:,2]],y)
case('const+dum exact',np.c_[D,B],np.c_[D,B]@np.arange(1,15)[:D.shape[1]+6])
case('wide dup',np.c_[rng.integers(-3,3,(10,8)),np.ones((10,9))],rng.normal(size=10))
